import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { expect, test } from "vitest";
import type { FrozenNow } from "./freezes.ts";
import { FrozenObjects } from "./frozen-objects.ts";
import type { Reach } from "./gate/cluster-gate.ts";
import { type AnnotationView, createHoldCheck } from "./hold-check.ts";

const request = { cluster: "c1", workload: { kind: "Deployment", namespace: "shop", name: "api" } };

function checkWith(world: {
  readonly frozen?: FrozenNow;
  readonly reach?: Reach;
  readonly isStranger?: boolean;
  readonly annotations?: AnnotationView;
}) {
  const { isStillHeld } = createHoldCheck({
    freezes: { now: async () => world.frozen ?? { type: "known", freezes: [] } },
    clusterOf: () => (world.isStranger ? undefined : { name: "prod", labels: {} }),
    reachOf: () => world.reach ?? "reachable",
    annotationsOf: () => world.annotations ?? "unknown",
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
  });
  return (reason: string, frozenBy?: readonly string[]) => isStillHeld(request, { reason, frozenBy });
}

const frozen = (...scopes: readonly Freeze["scope"][]): FrozenNow => ({
  type: "known",
  freezes: scopes.map((scope) => ({ scope, reason: "release", by: "ann" })),
});

test("a freeze holds as long as it is declared, and one that cannot be read holds", async () => {
  expect(await checkWith({ frozen: frozen({ cluster: "prod" }) })("Frozen")).toBe(true);
  expect(await checkWith({ frozen: frozen({ namespace: "other" }) })("Frozen")).toBe(false);
  const unreadable = checkWith({ frozen: { type: "unreadable", why: "no" } });
  expect(await unreadable("FreezeUnreadable")).toBe(true);
});

test("a freeze of the object that a workload refers to holds that workload", async () => {
  const workload = { kind: "Deployment", name: "web-template" };
  const check = checkWith({ frozen: frozen({ workload }) });
  expect(await check("Frozen", ["Deployment/shop/web-template"])).toBe(true);
  expect(await check("Frozen", ["Deployment/shop/other"])).toBe(false);
  expect(await check("Frozen")).toBe(false);
});

test("freezes of a cluster that is not engaged are unknown, unless all is frozen", async () => {
  const check = checkWith({ frozen: frozen({ cluster: "prod" }), isStranger: true });
  expect(await check("Frozen")).toBeUndefined();
  const unreadable = checkWith({ frozen: { type: "unreadable", why: "no" }, isStranger: true });
  expect(await unreadable("Frozen")).toBe(true);
});

test("a freeze of a source is unknown without reading objects", async () => {
  const source = { kind: "Secret", name: "db" } as const;
  expect(await checkWith({ frozen: frozen({ source }) })("Frozen")).toBeUndefined();
  expect(await checkWith({ frozen: frozen({ source }, { cluster: "prod" }) })("Frozen")).toBe(true);
  expect(await checkWith({})("BudgetRate")).toBeUndefined();
  expect(await checkWith({})("RunActive")).toBeUndefined();
});

test("an annotation holds as long as the streams show one of the objects that froze it", async () => {
  const annotations = new FrozenObjects();
  const check = (...objects: readonly string[]) => checkWith({ annotations })("FrozenByAnnotation", objects);
  annotations.set("Deployment/shop/api", true);
  annotations.set("Secret/shop/db", true);
  expect(await check("Deployment/shop/api", "Secret/shop/db")).toBe(true);
  annotations.set("Secret/shop/db", false);
  expect(await check("Deployment/shop/api", "Secret/shop/db")).toBe(true);
  annotations.set("Deployment/shop/api", false);
  expect(await check("Deployment/shop/api", "Secret/shop/db")).toBe(false);
});

test("an annotation that no stream has shown is unknown", async () => {
  const annotations = new FrozenObjects();
  annotations.set("Secret/shop/db", true);
  annotations.set("Secret/shop/db", false);
  const check = checkWith({ annotations });
  expect(await check("FrozenByAnnotation", ["ConfigMap/shop/unlisted"])).toBeUndefined();
  expect(await check("FrozenByAnnotation", ["Secret/shop/db", "ConfigMap/shop/unlisted"])).toBeUndefined();
  expect(await check("FrozenByAnnotation")).toBeUndefined();
  expect(await checkWith({})("FrozenByAnnotation", ["Secret/shop/db"])).toBeUndefined();
});

test("annotations are left to who watches, and to streams about to show them", async () => {
  for (const annotations of ["elsewhere", "behind"] as const)
    expect(await checkWith({ annotations })("FrozenByAnnotation", ["Secret/shop/db"])).toBe(true);
});

test.each(["ClusterUnreachable", "ClusterUnknown"])(
  "%s holds until the cluster is reached, and then no more",
  async (reason) => {
    expect(await checkWith({ reach: "unreachable" })(reason)).toBe(true);
    expect(await checkWith({ reach: "failing" })(reason)).toBe(true);
    expect(await checkWith({ reach: "unknown" })(reason)).toBe(true);
    expect(await checkWith({})(reason)).toBe(false);
  },
);

test("a cluster that fails is asked again in its time, unless it is known to be away", async () => {
  expect(await checkWith({})("ClusterFailing")).toBeUndefined();
  expect(await checkWith({ reach: "failing" })("ClusterFailing")).toBe(true);
  expect(await checkWith({ reach: "unreachable" })("ClusterFailing")).toBe(true);
});

test("answers depend on freezes, if something is frozen, and on the reach of clusters", async () => {
  const world: { frozen: FrozenNow; reach: Reach } = { frozen: frozen(), reach: "reachable" };
  const annotations = new FrozenObjects();
  const { basisOf } = createHoldCheck({
    freezes: { now: async () => world.frozen },
    clusterOf: () => undefined,
    reachOf: () => world.reach,
    annotationsOf: () => annotations,
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
  });
  const [clusters, none] = [new Set(["c1"]), new Set<string>()];
  const all = async () => [
    await basisOf({ clusters, reasons: none }),
    await basisOf({ clusters: none, reasons: new Set(["Frozen"]) }),
  ];
  const [ofCluster, ofFreezes] = await all();
  expect(await all()).toEqual([ofCluster, ofFreezes]);
  world.frozen = frozen({ cluster: "prod" });
  expect(await all()).toEqual([ofCluster, expect.not.stringContaining(ofFreezes ?? "")]);
  world.reach = "unreachable";
  expect((await all())[0]).not.toBe(ofCluster);
  const annotated = () => basisOf({ clusters, reasons: new Set(["FrozenByAnnotation"]) });
  const before = await annotated();
  annotations.set("Secret/shop/db", true);
  expect(await annotated()).not.toBe(before);
});
