import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { change, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { OffsetClock } from "@fleet-reloader/testkit/memory/offset-clock";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { Hopeless, until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClock } from "../connection/redis-clock.ts";
import { monotonicMs } from "../fixture/monotonic-ms.ts";
import { startQueue } from "../fixture/queue-bed.ts";
import { delayedScoreOfMs } from "./bull-backend.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const window = { quietPeriodMs: 3000, maxWaitMs: 20_000 };
const burst = 10;
/** How far the clock of a machine is ahead. */
const skews = [2500, -2500, 45_000, -45_000];
/** Tolerance for a busy machine. If the machine's clock counted, the error would be at least 2.5 s, and 10 s late for a clock that is behind. */
const lateMs = 2000;
/** A busy machine reads Redis' time late. If the machine's clock counted and were ahead, the run would begin at least 2.5 s early. */
const earlyMs = 1000;

let prefixes = 0;
function nextPrefix(): string {
  prefixes += 1;
  return `skewed${prefixes}`;
}

/** A process whose wall time is this far ahead of ours. */
function skewedProcess(skewMs: number, args: readonly string[], fixture = "skewed-process.ts") {
  const shift = `const now = Date.now; Date.now = () => now() + ${skewMs}`;
  const script = join(import.meta.dirname, "../fixture", fixture);
  const child = spawn(process.execPath, ["--import", `data:text/javascript,${shift}`, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const timesOf = (what: string): readonly number[] => {
    const lines = said.split("\n").map((line) => line.split(" at "));
    return lines.filter(([its, at]) => its === what && at !== undefined).map(([, at]) => Number(at));
  };
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    /** When it printed this, by `monotonicMs`. */
    says: (what: string) => until(`it says ${what}`, () => timesOf(what)[0]),
    count: (what: string) => timesOf(what).length,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function expectAsWithout(latencyMs: number): void {
  expect(latencyMs).toBeGreaterThan(window.quietPeriodMs - earlyMs);
  expect(latencyMs).toBeLessThan(window.quietPeriodMs + lateMs);
}

describe.concurrent("a process whose clock is wrong", () => {
  test.each(skews)("by %i ms takes up a burst once, and in time", (skewMs) =>
    atBest(async () => {
      const prefix = nextPrefix();
      await using bed = await startQueue(redis.url, prefix);
      await using worker = skewedProcess(skewMs, [redis.url, prefix, "work"]);
      await worker.says("ready");
      let addedAt = 0;
      for (let each = 0; each < burst; each += 1) {
        addedAt = monotonicMs();
        await bed.queue.add([change("api", window)]);
        await bed.elapse(50);
      }
      expectAsWithout((await worker.says("ran api")) - addedAt);
      expect(worker.count("ran api")).toBe(1);
    }),
  );

  test.each(skews)("by %i ms adds a burst that others take up once, and in time", (skewMs) =>
    atBest(async () => {
      const prefix = nextPrefix();
      await using bed = await startQueue(redis.url, prefix);
      let ranAt = 0;
      const runs = recordRuns(bed, () => {
        ranAt = monotonicMs();
        return { type: "done", outcome: "unchanged" };
      });
      const told = [window.quietPeriodMs, window.maxWaitMs, burst].map(String);
      await using teller = skewedProcess(skewMs, [redis.url, prefix, "add", ...told]);
      const addedAt = await teller.says("added");
      await until("it ran", () => runs.length > 0);
      expectAsWithout(ranAt - addedAt);
      expect(runs).toHaveLength(1);
    }),
  );
});

// BullMQ compares the time at which an entry was taken up with the machine's. A lock lasts 5 s and is renewed after 2.5 s.
test.concurrent.each([-4000, -45_000, 45_000])(
  "a worker whose clock is %i ms ahead renews its lock in time",
  (skewMs) =>
    atBest(async () => {
      const prefix = nextPrefix();
      await using bed = await startQueue(redis.url, prefix);
      await using worker = skewedProcess(skewMs, [redis.url, prefix], "stuck-worker.ts");
      await bed.queue.add([change("api", { quietPeriodMs: 0, maxWaitMs: 0 })]);
      await until("it is taken", () => worker.said().includes("taken"));
      const [entry] = (await bed.queue.queues[0]?.getActive()) ?? [];
      const lock = bed.queue.queues[0]?.toKey(`${entry?.id}:lock`) ?? "";
      const { connection } = bed.client;
      const token = await connection.get(lock);
      let leftMs = Number.POSITIVE_INFINITY;
      await until("its lock is renewed", async () => {
        const beforeMs = leftMs;
        leftMs = await connection.pttl(lock);
        const isLost = token === null || (await connection.get(lock)) !== token;
        if (isLost) throw new Hopeless("its lock has run out");
        return leftMs > beforeMs;
      });
    }),
);

// BullMQ gives its scripts the machine's time. Another version may do so in other places.
test("no time of the machine comes to Redis, however an entry is moved", async () => {
  const aheadMs = 30 * 86_400_000;
  await using bed = await startQueue(redis.url, "moves");
  const { connection } = bed.client;
  if (!("monitor" in connection)) throw new Error("this is no single server");
  const monitor = await connection.monitor();
  const wrong: string[] = [];
  let seen = 0;
  monitor.on("monitor", (_: string, command: readonly string[]) => {
    seen += 1;
    if (command.some((text) => isOfClock(text, aheadMs))) wrong.push(command.join(" "));
  });
  await using worker = skewedProcess(aheadMs, [redis.url, "moves", "move"]);
  await worker.says("ready");
  await using teller = skewedProcess(aheadMs, [redis.url, "moves", "add", "100", "1000", "2"]);
  await teller.says("added");
  await worker.says("ran api");
  monitor.disconnect();
  expect(seen).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

/** Whether this is a time of that clock, plain or as a BullMQ score: milliseconds since the epoch, within some days. */
function isOfClock(text: string, aheadMs: number): boolean {
  const wrongMs = Date.now() + aheadMs;
  return [Number(text), Number(text) / delayedScoreOfMs].some((ms) => Math.abs(ms - wrongMs) < aheadMs / 3);
}

describe("Redis' clock", () => {
  const far = (offsetMs: number) => new OffsetClock(wallClock, offsetMs);

  test("is the same for machines whose clocks are hours apart, or are set", async () => {
    await using bed = await startQueue(redis.url);
    const local = far(3_600_000);
    const clock = new RedisClock({ ...bed, local });
    await clock.read();
    expect(Math.abs(clock.now() - bed.clock.now())).toBeLessThan(60_000);
    local.offsetMs = -3_600_000;
    expect(Math.abs(clock.now() - bed.clock.now())).toBeLessThan(60_000);
    expect(Math.abs(clock.localOf(clock.now()) - local.now())).toBeLessThan(60_000);
  });

  // A busy process reads the answer late.
  test("is not moved by an answer that was read late", async () => {
    await using bed = await startQueue(redis.url);
    const monotonic = { aheadMs: 0 };
    const local = { ...wallClock, monotonic: () => performance.now() + monotonic.aheadMs };
    const clock = new RedisClock({ ...bed, local });
    await clock.read();
    const before = clock.now() - local.monotonic();
    const asked = clock.read();
    monotonic.aheadMs = 5000;
    await asked;
    expect(Math.abs(clock.now() - local.monotonic() - before)).toBeLessThan(2000);
  });
});
