import { describe } from "vitest";
import { rolloutRunsContract } from "../contracts/rollout-runs-contract.ts";
import { MemoryRolloutRuns } from "./memory-rollout-runs.ts";

describe("the runs in memory", () =>
  rolloutRunsContract(async () => ({
    runs: new MemoryRolloutRuns(),
    async [Symbol.asyncDispose]() {
      // Nothing is held.
    },
  })));
