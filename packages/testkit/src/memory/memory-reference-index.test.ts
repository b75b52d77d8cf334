import { matchesForTest } from "../contracts/index/index-under-test.ts";
import { referenceIndexContract } from "../contracts/index/reference-index-contract.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryReferenceIndex } from "./memory-reference-index.ts";
import { MemoryWorkloadRecords } from "./memory-workload-records.ts";

// The double promises what the real one does: the same sentences hold for both.
referenceIndexContract(async () => {
  const index = new MemoryReferenceIndex({ clock: new ManualClock(), matches: matchesForTest });
  await index.open();
  return {
    index,
    cluster: "c1",
    records: new MemoryWorkloadRecords({ index }),
    lose: async () => index.wipe(),
    async [Symbol.asyncDispose]() {
      // Nothing outlives it.
    },
  };
});
