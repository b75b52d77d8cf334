import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { gatedHandler } from "@fleet-reloader/engine/admission/gate/gated-handler";
import { describe, expect, test } from "vitest";
import { createTestBed } from "../../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../../memory/memory-rollout-runs.ts";
import { forever, setUp } from "./gate-bed.ts";

type Behind = Omit<ReturnType<typeof setUpBehind>, "world">;

/** A gate, and behind it the use cases of the engine. */
function setUpBehind() {
  const runs = new MemoryRolloutRuns();
  const bed = createTestBed({ following: { runs, firstCheckMs: 5000 } });
  const workload = { kind: "Deployment", namespace: "ns", name: "api" };
  return { world: setUp(), bed, runs, request: { cluster: "c1", workload } };
}

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

  // It would close the breaker of a cluster whose requests all fail.
  test.each([
    ["a look at a rollout that nobody follows any more", "follow", async () => undefined],
    [
      "a look at a rollout before its time",
      "follow",
      async ({ bed, runs, request }: Behind) =>
        await runs.start([{ request, run: { rolledAtMs: bed.clock.now(), sources: [] } }]),
    ],
    [
      "an audit of a workload whose change waits",
      "audit",
      async ({ bed, request }: Behind) =>
        await bed.queue.add([{ request, quietPeriodMs: 60_000, maxWaitMs: 60_000, purpose: "change" }]),
    ],
  ] as const)("%s is no answer of its cluster", async (_, purpose, prepare) => {
    const { world, ...behind } = setUpBehind();
    await prepare(behind);
    const { bed, request } = behind;
    const fails = async () => {
      throw new Fault("kube.timeout", "");
    };
    const looks = async () => await bed.reconcile(request.workload, { purpose });
    const isForgotten = async () => false;
    const failing = gatedHandler(fails, world.gate, isForgotten);
    const asked = { ...delivery, purpose };
    for (let count = 0; count < 4; count += 1) await expect(failing(request, delivery)).rejects.toThrow();
    await gatedHandler(looks, world.gate, isForgotten)(request, asked);
    await expect(failing(request, delivery)).rejects.toThrow();
    expect(await failing(request, delivery)).toMatchObject({ reason: "ClusterFailing" });
  });

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
