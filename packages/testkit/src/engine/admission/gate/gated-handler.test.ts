import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { gatedHandler } from "@fleet-reloader/engine/admission/gate/gated-handler";
import { describe, expect, test } from "vitest";
import { forever, setUp } from "./gate-bed.ts";

describe("a handler behind the gate", () => {
  const request = { cluster: "a", workload: { kind: "Deployment", namespace: "n", name: "w" } };
  const delivery = { attemptsMade: 0, isDoubtful: false, purpose: "change", signal: forever } as const;

  test.each<[Reach, boolean, object]>([
    ["unknown", true, { type: "done", outcome: "gone" }],
    ["unknown", false, { type: "again", reason: "ClusterUnknown" }],
    ["unreachable", true, { type: "again", reason: "ClusterUnreachable" }],
    ["reachable", true, { type: "done", outcome: "rolled" }],
  ])(
    "of a cluster that is %s, and forgotten: %s, comes to its end or back",
    async (reach, isForgotten, to) => {
      const world = setUp();
      world.reach.set("a", reach);
      const rolls = async () => ({ type: "done", outcome: "rolled" }) as const;
      const handler = gatedHandler(rolls, world.gate, async (cluster) => cluster === "a" && isForgotten);
      expect(await handler(request, delivery)).toMatchObject(to);
    },
  );

  test.each<[FaultCode, boolean]>([
    ["kube.timeout", true],
    ["kube.unreachable", true],
    ["kube.server-error", true],
    ["kube.conflict", false],
    ["kube.forbidden", false],
    ["kube.rejected", false],
    ["engine.aborted", false],
    ["redis.unavailable", false],
  ])("five times %s shuts the gate: %s", async (code, isShut) => {
    const world = setUp();
    let handled = 0;
    const handler = gatedHandler(
      async () => {
        handled += 1;
        throw new Fault(code, "");
      },
      world.gate,
      async () => false,
    );
    for (let count = 0; count < 5; count += 1)
      await expect(handler(request, delivery)).rejects.toMatchObject({ code });
    const sixth = await handler(request, delivery).catch((error: unknown) => error);
    expect(handled).toBe(isShut ? 5 : 6);
    if (isShut) expect(sixth).toMatchObject({ type: "again", reason: "ClusterFailing" });
  });
});
