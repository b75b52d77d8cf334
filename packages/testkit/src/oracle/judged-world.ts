import type { Simulation } from "../simulation/world.ts";
import type { Judged } from "./judged.ts";

/** What a judge may know of a simulated world; of writes of ours only those after so many. */
export function judgedOf(world: Simulation, judgedUpTo: number): Judged {
  const { cluster, people, pods, served, own, flushes, answered, healed, ready } = world;
  const { rewritten } = world.webhook;
  return { cluster, people, pods, served, flushes, answered, healed, ready, rewritten, own, judgedUpTo };
}
