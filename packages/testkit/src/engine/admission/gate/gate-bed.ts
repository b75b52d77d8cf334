import { ClusterGate, type Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { CountingMeter } from "../../../memory/counting-meter.ts";
import { ManualClock } from "../../../memory/manual-clock.ts";

export const forever = new AbortController().signal;

/** The gate of a worker, by a clock that stands still. */
export function setUp(slots = 64) {
  const clock = new ManualClock();
  const meter = new CountingMeter();
  const reach = new Map<string, Reach>();
  const probedInMs = new Map<string, number>();
  /** Clusters whose requests wait for no answer. The others have waited for one since the beginning. */
  const unasked = new Set<string>();
  const gate = new ClusterGate({
    slots,
    clock,
    meter,
    random: () => 0,
    askedSinceMs: (cluster) => (unasked.has(cluster) ? undefined : 0),
    nameOf: (cluster) => cluster,
    reachOf: (cluster) => reach.get(cluster) ?? "reachable",
    probedInMs: (cluster) => probedInMs.get(cluster),
  });
  const enter = (cluster: string) => gate.admit(cluster, forever);
  return { clock, meter, reach, probedInMs, unasked, gate, enter };
}

export type Gate = ReturnType<typeof setUp>;

export async function letIn({ enter }: Gate, cluster: string) {
  const admission = await enter(cluster);
  if (admission.type !== "go") throw new Error(`${cluster} is on hold: ${admission.reason}`);
  return admission;
}

export async function fails(world: Gate, cluster: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) (await letIn(world, cluster)).leave("failed");
}
