import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { MemoryRolloutRuns } from "../memory/memory-rollout-runs.ts";
import { silentReporter } from "./silent-reporter.ts";
import { createTestBed } from "./test-bed.ts";

/** A world of every kind whose rollouts are followed, with how each ended. */
export function followedKinds() {
  const ended: string[] = [];
  const bed = createTestBed({
    settings: { workloadKinds: knownKinds },
    reporter: silentReporter({ ended: ({ result, reason }) => ended.push(`${result} ${reason}`) }),
    following: { runs: new MemoryRolloutRuns(), firstCheckMs: 5000, onSettled: async () => undefined },
  });
  return { ...bed, ended };
}
