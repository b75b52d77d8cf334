import { describe, expect, test } from "vitest";
import type { ShownActivity } from "../src/activity/activity-section.ts";
import { type PlaceAnswer, placeView } from "../src/answer.ts";
import { freshness, navigation, staleness, titleOf } from "../src/frame/frame.ts";
import { placeOfAddress } from "../src/place.ts";
import { el, link } from "../src/view-node.ts";
import { clusterRow } from "../src/views/clusters.ts";
import {
  acts,
  calm,
  explained,
  held,
  nowMs,
  oneChange,
  planned,
  queue,
  sick,
  status,
} from "./fixture/answers.ts";
import { htmlOf, textOf } from "./fixture/html.ts";

/** The nodes of the page at an address. */
function shownAt(address: string, answer: PlaceAnswer, activity?: ShownActivity) {
  const [path = "", search = ""] = address.split("?");
  return placeView(placeOfAddress(path, search), answer, { path, nowMs, activity });
}
const answered = (body: unknown): PlaceAnswer => ({ type: "answered", body });

describe("Now", () => {
  test("names what is failed, held, frozen or away, each with a way to the reason", () => {
    const nodes = shownAt("/", answered(status));
    const text = textOf(nodes);
    for (const part of [
      "1 change not done",
      "Secret shop/db 10 min ago external-secrets 2",
      "✖ 1 failed",
      "‖ 1 held",
      "✔ 35 healthy",
      "1 cluster with a problem",
      "✖ Unreachable no route to host",
      "3 of 8 streams, since 30 s ago 1 missing",
      "cluster otech62, namespace shop CHG-12 ann 2026-07-01 12:11:00 UTC",
      "Oldest request 4 s old",
      "12 ClusterUnreachable",
    ])
      expect(text).toContain(part);
    const html = htmlOf(nodes);
    expect(html).toContain('href="/changes/f1-a?since=2026-07-01T11%3A59%3A00.000Z"');
    expect(html).toContain('href="/held?reason=ClusterUnreachable"');
    expect(html).toContain('href="/changes?cluster=helsinki-2"');
  });

  test("says that nothing needs anybody, in words and not as an empty page", () => {
    const text = textOf(shownAt("/", answered(calm)));
    expect(text).toContain("Nothing is failed, stalled, held or still rolling of the 3 changes");
    expect(text).toContain("All 14 clusters are well.");
    expect(text).toContain("Nothing is frozen.");
    expect(text).toContain("nothing waits");
  });
});

test.each([
  [0, "No cluster is registered, or none is shown to you."],
  [1, "1 cluster is well."],
  [2, "All 2 clusters are well."],
])("Now says of %d clusters that none has a problem", (count, sentence) => {
  const clusters = { ...calm.clusters, count };
  expect(textOf(shownAt("/", answered({ ...calm, clusters })))).toContain(sentence);
});

describe("plots", () => {
  const slot = { rolled: 0, failed: 0 };
  const activity = {
    slotMs: 60_000,
    slots: [
      { ...slot, from: "2026-07-01T12:08:00.000Z", rolled: 2, medianMs: 2500, slowestMs: 240_000 },
      { ...slot, from: "2026-07-01T12:09:00.000Z" },
      { ...slot, from: "2026-07-01T12:10:00.000Z", failed: 1, oldestMs: 7_200_000 },
    ],
    isCut: false,
  };

  test.each([
    ["/", status],
    ["/changes", { count: 0, changes: [], isCut: false }],
    ["/queue", queue],
  ])("of %s say in a sentence and in a table what they draw", (address, body) => {
    const nodes = shownAt(address, answered(body), activity);
    const html = htmlOf(nodes);
    for (const sentence of [
      "Rolls from 12:08 to 12:10 UTC, each bar is 1 min: 2 rolled, 1 failed or stalled; at most 2 rolls in one bar",
      "the slowest roll came 4 min after the write",
      "the oldest is 2 h old now",
    ])
      expect(html).toContain(sentence);
    const text = textOf(nodes);
    expect(text).toContain("Per 1 min Rolled Failed 12:10 0 1 12:08 2 0");
    expect(text).toContain("Median Slowest 12:08 2.5 s 4 min");
    expect(text).toContain("Oldest 12:10 2 h");
  });

  test("without anything to draw say so, and before an answer that it is asked for", () => {
    const nothing = { ...activity, slots: activity.slots.map(({ from }) => ({ ...slot, from })) };
    const text = textOf(shownAt("/", answered(calm), nothing));
    expect(text).toContain("Nothing was rolled, and nothing failed.");
    expect(text).toContain("Nothing was on hold or rolling.");
    expect(htmlOf(shownAt("/", answered(calm), nothing))).not.toContain("NaN");
    expect(textOf(shownAt("/", answered(calm)))).toContain("Activity since 1h Asking…");
  });

  test("of more than a day have the day beside the time", () => {
    const days = { ...activity, slotMs: 43_200_000 };
    expect(textOf(shownAt("/changes?since=7d", answered({ count: 0, changes: [] }), days))).toContain(
      "Activity since 7d Rolls ▲ rolled, ▼ failed or stalled 2 07-01 12:08",
    );
  });
});

test("a change of more clusters than it names says how many more", () => {
  const change = { ...oneChange.change, clusterCount: 1000 };
  const text = textOf(shownAt("/changes/f1-a", answered({ ...oneChange, change })));
  expect(text).toContain("nova otech62 and 998 more");
});

test("a change shows each workload with the rollout's own words, and the next page", () => {
  const nodes = shownAt("/changes/f1-a?since=2h", answered(oneChange));
  expect(textOf(nodes)).toContain('✖ failed PodsNotRunning key "dsn" is not in Secret/db 5 min ago');
  expect(textOf(nodes)).toContain("1 of 300 workloads");
  const html = htmlOf(nodes);
  expect(html).toContain('href="/workloads/nova/Deployment/shop/api"');
  expect(html).toContain('href="/sources/otech62/Secret/shop/db"');
  expect(html).toContain('href="/changes/f1-a?since=2h&#38;cursor=WzEsIngiXQ.seal"');
  expect(html).toContain('aria-rowcount="301"');
});

test("a list is filtered by its address, and keeps what was filtered by", () => {
  const body = { count: 0, changes: [], isCut: false };
  const nodes = shownAt("/changes?cluster=nova&name=", answered(body));
  expect(htmlOf(nodes)).toContain('<input name="cluster" value="nova" autocomplete="off">');
  expect(textOf(nodes)).toContain("No change of a source that a workload uses fits.");
});

test("the row of a registration that stands by says which one serves its cluster", () => {
  const why = ["it is the cluster nova (registration given#nova)"];
  const alias = { ...sick, status: { state: "Alias" as const, why }, problems: [] };
  const nodes = shownAt("/clusters", answered({ count: 1, clusters: [alias] }));
  expect(textOf(nodes)).toContain(`Alias ${why[0]}`);
});

test("clusters and holds show state, problem and end", () => {
  const clusters = { count: 1, clusters: [sick] };
  expect(textOf(shownAt("/clusters", answered(clusters)))).toContain(
    "✖ Unreachable no route to host 12 0 12",
  );
  expect(textOf(shownAt("/held", answered(held)))).toContain(
    "‖ Frozen cluster otech62: CHG-12 (by ann) 2026-07-01 18:00:00 UTC",
  );
});

test("the queue shows age before depth, and what is held and failed by reason", () => {
  const nodes = shownAt("/queue?since=2h", answered(queue));
  const text = textOf(nodes);
  const parts = ["Oldest request 4 s old", "Waiting 1", "Running 0", "Delayed 3", "On hold 13"];
  const places = parts.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(text).toContain("Failed 2 workloads since 2h");
  expect(text).toContain("‖ Frozen 1 A declared freeze of the fleet");
  expect(text).toContain("✖ CreateContainerConfigError 2");
  expect(htmlOf(nodes)).toContain('href="/held?reason=ClusterUnreachable"');
  expect(htmlOf(nodes)).toContain('href="/queues"');
});

test("holds name each freeze with who set it, and count what each reason holds", () => {
  const text = textOf(shownAt("/held", answered(held)));
  expect(text).toContain("cluster otech62, namespace shop CHG-12 ann 2026-07-01 12:11:00 UTC");
  expect(text).toContain("‖ Frozen 1 A declared freeze of the fleet");
  const freezes = [{ scope: { cluster: "Nova" }, reason: "CHG-12", by: "ann", missing: "no such cluster" }];
  const idle = textOf(shownAt("/held", answered({ ...held, freezes })));
  expect(idle).toContain("cluster Nova CHG-12; it covers nothing: no such cluster ann");
});

test("freezes that cannot be read are not told as none", () => {
  const unreadableFreezes = "ConfigMap reloader/freezes: entry 1: no reason";
  for (const nodes of [
    shownAt("/held", answered({ ...held, freezeCount: 0, freezes: [], unreadableFreezes })),
    shownAt("/", answered({ ...calm, unreadableFreezes })),
  ]) {
    const text = textOf(nodes);
    expect(text).toContain(
      `FreezeUnreadable freezes cannot be read, and nothing is rolled: ${unreadableFreezes}`,
    );
    expect(text).toContain("Nobody knows what is frozen.");
    expect(text).not.toContain("Nothing is frozen");
  }
});

test("a workload has its verdict, its annotations and its sources in words", () => {
  const text = textOf(shownAt("/workloads/nova/Deployment/shop/api", answered(explained)));
  for (const part of [
    "◐ would roll",
    "It would roll now:",
    "Secret/db: SourceChanged.",
    "missing; did you mean db-2?",
    "reloads for every source",
    "no request for it waits",
  ])
    expect(text).toContain(part);
});

test("a workload whose failed roll was discarded says by whom and why", () => {
  const discarded = { by: "ann", reason: "it is retired", time: "2026-07-01T12:00:00.000Z" };
  const body = Object.assign({}, explained, { discarded });
  expect(textOf(shownAt("/workloads/nova/Deployment/shop/api", answered(body)))).toContain(
    "Its last roll failed and was discarded by ann at 2026-07-01T12:00:00.000Z: it is retired",
  );
});

test("a source says what would roll, and how the content reaches the others", () => {
  const text = textOf(shownAt("/sources/nova/Secret/shop/db", answered(planned)));
  expect(text).toContain("Deployment api ◐ rolls AutoEnabled.");
  expect(text).toContain("only with a restart");
  expect(text).toContain("Deployment batch ✔ stays SourceExcluded.");
  expect(text).toContain("by mounted files, without a roll");
});

test("the audit says who did what and why, and leads to what came of it", () => {
  const nodes = shownAt("/audit?by=ann", answered(acts));
  const text = textOf(nodes);
  for (const part of [
    "Deployment/api in namespace shop on nova retry ann 5 min ago incident 4711 1 ✔ checked 1 workload",
    "Secret/db replay bob 6 min ago rotation 37 ⚠ checked 12 of 37 workloads; the rest was not done",
    "the fleet unfreeze not known 7 min ago CHG-12 not counted ✔ done",
    "3 of 300 acts",
  ])
    expect(text).toContain(part);
  const html = htmlOf(nodes);
  expect(html).toContain('href="/workloads/nova/Deployment/shop/api"');
  expect(html).toContain('href="/changes?name=db"');
  expect(html).toContain('href="/audit?by=ann&#38;cursor=WzEsIngiXQ.seal"');
});

test("what somebody may not see says so, and what to do", () => {
  const problem = {
    code: "access.forbidden",
    problem: "bob has not the role viewer in all namespaces of all clusters",
    mend: "ask whoever keeps the access file",
  };
  const nodes = shownAt("/audit", { type: "failed", problem });
  expect(textOf(nodes)).toContain("Not shown to you");
  expect(textOf(nodes)).toContain("What to do: ask whoever keeps the access file");
  expect(htmlOf(nodes)).toContain('class="forbidden" role="alert"');
});

test("loading, failed and unknown places look different, and say what to do", () => {
  expect(htmlOf(shownAt("/", { type: "loading" }))).toContain('role="status"');
  const problem = {
    code: "question.invalid",
    field: "cluster",
    value: "Nova",
    problem: "cluster: no cluster is called Nova",
    mend: "did you mean nova?",
  };
  const failed = shownAt("/clusters?cluster=Nova", { type: "failed", problem });
  expect(htmlOf(failed)).toContain('role="alert"');
  expect(textOf(failed)).toContain(
    "cluster: no cluster is called Nova Given: Nova What to do: did you mean nova?",
  );
  expect(textOf(shownAt("/nothing", { type: "loading" }))).toContain("There is no such page");
});

test("what tenants write is text, and no address leads to another site", () => {
  const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  const body = { ...held, holds: [{ ...held.holds[0], why: nasty, workload: `Deployment/${nasty}/x` }] };
  const html = htmlOf(shownAt("/held", answered(body)));
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain("&#60;script&#62;");
  for (const address of ["//evil.example", "https://evil.example", "javascript:alert(1)", "/\\evil.example"])
    expect(htmlOf([link(address, "x")])).toBe("<a>x</a>");
  expect(htmlOf([el("p", { onclick: "x()", style: "x", src: "/x" }, "x")])).toBe("<p>x</p>");
});

test("the navigation marks where one is, and the age is always told", () => {
  const place = placeOfAddress("/changes/f1-a", "");
  expect(htmlOf([navigation(place)])).toContain('<a href="/changes" aria-current="page">Changes</a>');
  expect(titleOf(placeOfAddress("/sources/nova/Secret/shop/db", ""))).toBe("Secret db · fleet-reloader");
  expect(freshness(nowMs - 3000, nowMs, false)).toBe("3 s old");
  expect(staleness(nowMs - 3000, false)).toBe("");
  expect(staleness(nowMs - 60_000, true)).toContain("stale: the last question had no answer");
  expect(staleness(undefined, true)).toContain("no answer yet");
});

test("an alias of a cluster is offered no freeze, which would hold the cluster", () => {
  const rowOf = (state: "Alias" | "Unreachable") =>
    clusterRow({ ...sick, status: { state, why: [] } }, () => ["freeze"], nowMs);
  expect(htmlOf(rowOf("Unreachable"))).toContain("Freeze");
  expect(htmlOf(rowOf("Alias"))).not.toContain("Freeze");
});
