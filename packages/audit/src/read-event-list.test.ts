import { describe, expect, test } from "vitest";
import { auditEvent, eventList, readWhole } from "./fixture/audit-events.ts";
import type { AuditBatch } from "./gathered-batch.ts";

function batchOf(...events: readonly unknown[]): AuditBatch {
  const batch = readWhole(eventList(...events));
  if ("refused" in batch) throw new Error(batch.refused);
  return batch;
}

const objectRef = (change: object) => ({
  objectRef: { resource: "secrets", namespace: "shop", name: "tls", apiVersion: "v1", ...change },
});

describe("an event of a write", () => {
  test("is a hint at its object, with who wrote it", () => {
    const { hints, writes, events, withBody } = batchOf(auditEvent());
    expect([...hints]).toEqual(["/configmaps/shop/settings"]);
    expect([events, withBody]).toEqual([1, 0]);
    expect(writes).toEqual([
      {
        source: { kind: "ConfigMap", namespace: "shop", name: "settings" },
        manager: "kubectl-edit",
        fromSeconds: Date.UTC(2026, 10, 23, 10, 0, 0) / 1000,
        toSeconds: Date.UTC(2026, 10, 23, 10, 0, 1) / 1000,
        by: {
          user: "ann@example.org",
          groups: ["team-a", "system:authenticated"],
          userAgent: "kubectl/v1.36.3 (linux/amd64) kubernetes/0000000",
        },
      },
    ]);
  });

  test("names the user on whose behalf it was made, and no address", () => {
    const { writes } = batchOf(auditEvent({ impersonatedUser: { username: "bob", groups: ["x"] } }));
    expect(writes[0]?.by).toMatchObject({ user: "ann@example.org", impersonated: "bob" });
    expect(JSON.stringify(writes)).not.toContain("203.0.113.9");
  });

  test("names a user without what no screen shows, and not at any length", () => {
    const long = "x".repeat(300);
    const user = { username: "ann\u001b[2J\u202e", groups: [long, "é\u0000", 7] };
    const { writes } = batchOf(auditEvent({ user, userAgent: `${long}\n` }));
    expect(writes[0]?.by).toEqual({
      user: "ann[2J",
      groups: ["x".repeat(256), "é"],
      userAgent: "x".repeat(256),
    });
  });

  test.each([
    ["create with generateName", { verb: "create", ...objectRef({ name: undefined }) }, "/secrets/shop/"],
    ["deletecollection", { verb: "deletecollection", ...objectRef({ name: undefined }) }, "/secrets/shop/"],
    ["of all namespaces", { ...objectRef({ name: undefined, namespace: undefined }) }, "/secrets//"],
    ["of a workload", objectRef({ apiGroup: "apps", resource: "deployments" }), "apps/deployments/shop/tls"],
    ["of a namespace", objectRef({ resource: "namespaces", name: "shop" }), "/namespaces//shop"],
    ["with a failed answer", { responseStatus: { code: 504 } }, "/configmaps/shop/settings"],
    ["that ended in a panic", { stage: "Panic", responseStatus: undefined }, "/configmaps/shop/settings"],
  ])("%s leads to the smallest place that is told", (_, change, expected) => {
    expect([...batchOf(auditEvent(change)).hints]).toEqual([expected]);
  });

  test.each([
    ["verb", { verb: "get" }],
    ["verb", { verb: "conquer" }],
    ["verb", { verb: { $gt: "" } }],
    ["stage", { stage: "RequestReceived" }],
    ["dry-run", { requestURI: "/api/v1/namespaces/shop/configmaps?dryRun=All" }],
    ["refused", { responseStatus: { code: 403 } }],
    ["refused", { responseStatus: { code: 409 } }],
    ["subresource", objectRef({ subresource: "status" })],
    ["malformed", { objectRef: undefined }],
    ["malformed", { objectRef: ["configmaps"] }],
    ["malformed", objectRef({ name: "../../nodes" })],
    ["malformed", objectRef({ namespace: "a/b" })],
    ["malformed", objectRef({ name: "x".repeat(254) })],
    ["malformed", objectRef({ resource: "secrets\r\nx" })],
    ["malformed", { stageTimestamp: "yesterday" }],
  ])("that says nothing of use is ignored as %s", (reason, change) => {
    const { hints, writes, ignored } = batchOf(auditEvent(change));
    expect([hints.size, writes.length]).toEqual([0, 0]);
    expect([...ignored]).toEqual([[reason, 1]]);
  });

  test("of a resource that nobody serves is ignored", () => {
    const batch = readWhole(eventList(auditEvent()), ({ resource }) => resource === "secrets");
    expect(batch).toMatchObject({ hints: new Set(), ignored: new Map([["resource", 1]]) });
  });

  test("above the level Metadata is told, and nothing of its objects is kept", () => {
    const body = { data: { password: "canary-5e1f" } };
    const batch = batchOf(
      auditEvent({ level: "RequestResponse", requestObject: body, responseObject: body }),
    );
    expect(batch).toMatchObject({ withBody: 1, hints: new Set(["/configmaps/shop/settings"]) });
    expect(JSON.stringify([batch, [...batch.hints]])).not.toContain("canary");
  });

  test("above the level Metadata is told for Secrets and ConfigMaps, written or read", () => {
    const responseObject = { data: { password: "canary" } };
    const eventOf = (verb: string, change: object) =>
      auditEvent({ verb, responseObject, ...objectRef(change) });
    const { withBody } = batchOf(
      eventOf("get", {}),
      eventOf("list", { resource: "configmaps", name: undefined }),
      eventOf("update", { resource: "pods" }),
      eventOf("update", { apiGroup: "apps", resource: "deployments" }),
      eventOf("update", { apiGroup: "vault.example.org", resource: "secrets" }),
      auditEvent({ responseObject, objectRef: undefined }),
    );
    expect(withBody).toBe(2);
  });

  test("that cannot have taken so long names no writer", () => {
    const { hints, writes } = batchOf(auditEvent({ requestReceivedTimestamp: "1999-01-01T00:00:00Z" }));
    expect([hints.size, writes.length]).toEqual([1, 0]);
  });

  test("is told once, however often it is delivered", () => {
    expect(batchOf(...Array.from({ length: 500 }, () => auditEvent())).hints.size).toBe(1);
  });
});

describe("the field manager of a write", () => {
  const managerOf = (change: object) => batchOf(auditEvent(change)).writes[0]?.manager;
  const requestURI = "/api/v1/namespaces/shop/configmaps/settings";

  test.each([
    ["Go-http-client/2.0", "Go-http-client"],
    ["helm", "helm"],
    ["", "unknown"],
    [undefined, "unknown"],
    ["kube\u0000ctl/v1", "kubectl"],
    [`${"é".repeat(100)}/v1`, "é".repeat(64)],
  ])("is the first word of the user agent %j unless the client names it", (userAgent, expected) => {
    expect(managerOf({ requestURI, userAgent })).toBe(expected);
  });
});

describe("a body", () => {
  test("of many objects becomes one hint at anything", () => {
    const many = Array.from({ length: 20_001 }, (_, i) => auditEvent(objectRef({ name: `s${i}` })));
    expect([...batchOf(...many).hints]).toEqual(["*"]);
  });

  test.each([
    ["other-kind", JSON.stringify({ kind: "PodList", apiVersion: "v1", items: [] })],
    ["other-kind", JSON.stringify({ kind: "EventList", apiVersion: "audit.k8s.io/v1beta1", items: [] })],
    ["other-kind", "{}"],
    ["malformed", ""],
    ["malformed", "[]"],
    ["malformed", "null"],
    ["malformed", "nonsense"],
    ["malformed", '{"kind":"EventList'],
    ["malformed", '{"items":[{]}}'],
    ["malformed", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":1}{"b":2}]}'],
    ["malformed", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":}]}'],
    ["malformed", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[1,2]}'],
    ["malformed", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[[]]}'],
    ["malformed", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{}],"items":[]}'],
    ["malformed", `{"kind":"EventList","note":"${"x".repeat(70_000)}"}`],
    ["too-deep", "[".repeat(1_000_000)],
    ["too-deep", `{"items":[${'{"a":'.repeat(200)}1${"}".repeat(200)}]}`],
    ["too-large", `{"items":[${'{"a":1},'.repeat(50_001)}{}]}`],
    ["too-large", `{"items":[[${"[],".repeat(1_500_000)}[]]]}`],
  ])("that is %s is refused as that", (refused, text) => {
    expect(readWhole(Buffer.from(text))).toEqual({ refused });
  });

  test("without items says nothing", () => {
    expect(batchOf()).toMatchObject({ events: 0, hints: new Set() });
  });

  test("with brackets, quotes and backslashes in texts is read as what it says", () => {
    const user = { username: 'a"]}\\", "items": [{' };
    const { writes } = batchOf(auditEvent({ user }), auditEvent({ user: { username: "\\" } }));
    expect(writes.map(({ by }) => by.user)).toEqual([user.username, "\\"]);
  });
});
