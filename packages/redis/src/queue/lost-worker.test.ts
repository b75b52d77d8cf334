import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { atOnce, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** Lock + check, and time for a busy machine to notice. */
const backWithinMs = 25_000;

interface StuckWorker extends AsyncDisposable {
  readonly says: (word: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** Each attempt has a prefix of its own, so it finds nothing that another has left. */
let prefixes = 0;
function nextPrefix(): string {
  prefixes += 1;
  return `lost${prefixes}`;
}

/** A worker in a process of its own that takes a request and never finishes it. */
function stuckWorker(prefix: string): StuckWorker {
  const script = join(import.meta.dirname, "../fixture/stuck-worker.ts");
  const child: ChildProcess = spawn(process.execPath, [script, redis.url, prefix], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    says: async (word) => void (await until(`it says ${word}`, () => said.includes(word))),
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe.concurrent("a request whose worker", () => {
  // Also several times: a node drain is no poison.
  test("was killed is back soon, however often that happens", () =>
    atBest(async () => {
      const prefix = nextPrefix();
      await using bed = await startQueue(redis.url, prefix);
      await bed.queue.add([atOnce()]);
      for (const _ of [1, 2]) {
        await using worker = stuckWorker(prefix);
        await worker.says("taken");
        worker.signal("SIGKILL");
      }
      const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
      await until("it is back", () => runs.length > 0, backWithinMs);
      // The worker may have died with a write under way.
      expect(runs[0]?.delivery).toMatchObject({ attemptsMade: 0, isDoubtful: true });
      expect(await bed.queue.queues[0]?.getJobCounts("failed", "active", "wait", "delayed")).toMatchObject({
        failed: 0,
      });
    }));

  // When it wakes up it must not write any more: the request belongs to another worker.
  test("froze goes to another, and the frozen one is told when it wakes up", () =>
    atBest(async () => {
      const prefix = nextPrefix();
      await using bed = await startQueue(redis.url, prefix);
      await using frozen = stuckWorker(prefix);
      await bed.queue.add([atOnce()]);
      await frozen.says("taken");
      frozen.signal("SIGSTOP");
      const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
      await until("another has it", () => runs.length > 0, backWithinMs);
      frozen.signal("SIGCONT");
      await frozen.says("aborted");
      expect(runs.map(({ delivery }) => delivery.isDoubtful)).toEqual([true]);
    }));
});
