import { expect, test } from "vitest";
import { waitBefore } from "../src/backoff.ts";
import { addressOfPage, changeAddress, objectAddress, placeOfAddress, questionOf } from "../src/place.ts";

test.each([
  ["/", "/api/v1/status"],
  ["/changes?since=2h&cluster=nova", "/api/v1/changes?since=2h&cluster=nova"],
  ["/changes?since=&cluster=nova&name=", "/api/v1/changes?cluster=nova"],
  ["/changes/f1-a?since=1d", "/api/v1/changes/f1-a?since=1d"],
  ["/clusters?cursor=abc", "/api/v1/clusters?cursor=abc"],
  ["/held?reason=Frozen", "/api/v1/held?reason=Frozen"],
  ["/audit?by=ann&text=", "/api/v1/operators?by=ann"],
  ["/queue?since=2h", "/api/v1/queue?since=2h"],
  ["/queue/x", undefined],
  ["/workloads/nova/Deployment/shop/api", "/api/v1/workloads/nova/Deployment/shop/api"],
  ["/sources/nova/Secret/shop/db?key=a&key=b", "/api/v1/sources/nova/Secret/shop/db?key=a&key=b"],
  ["/workloads/nova/Deployment/shop", undefined],
  ["/%ff", undefined],
  ["/nothing", undefined],
])("the address %s asks %s", (address, question) => {
  const [path = "", search = ""] = address.split("?");
  expect(questionOf(placeOfAddress(path, search))).toBe(question);
});

test("names with any character come back from an address as they were", () => {
  const object = { cluster: "a/b ?#", kind: "Service.serving.knative.dev", namespace: "ü", name: "x%2fy" };
  expect(placeOfAddress(objectAddress("workloads", object), "")).toMatchObject({ view: "workload", object });
  const [path = ""] = changeAddress("uid/db@7", "2026-01-01T00:00:00Z").split("?");
  expect(placeOfAddress(path, "")).toMatchObject({ view: "change", change: "uid/db@7" });
});

test("the next page has the same filters and another cursor", () => {
  const query = new URLSearchParams("cluster=nova&cursor=old");
  expect(addressOfPage("/changes", query, "new")).toBe("/changes?cluster=nova&cursor=new");
});

test("what costs a cluster requests is asked once in a minute, all else more often", () => {
  expect(waitBefore({ view: "changes" }, { failures: 0, isLive: false }, 0.3)).toBe(10_000);
  expect(waitBefore({ view: "source" }, { failures: 0, isLive: false }, 0.3)).toBe(60_000);
});

test("after failures it is asked ever more seldom, at most once in a minute", () => {
  const now = { view: "now" } as const;
  expect(waitBefore(now, { failures: 1, isLive: false }, 0)).toBeLessThan(
    waitBefore(now, { failures: 3, isLive: false }, 0),
  );
  for (const chance of [0, 0.5, 1]) {
    expect(waitBefore(now, { failures: 50, isLive: false }, chance)).toBeGreaterThanOrEqual(60_000);
    expect(waitBefore(now, { failures: 50, isLive: false }, chance)).toBeLessThanOrEqual(120_000);
  }
});
