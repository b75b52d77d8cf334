import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { describe, expect, test } from "vitest";
import { Shutdown } from "./lifecycle.ts";

function collectingLog(lines: object[]): Log {
  const add = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const log: Log = { debug: add, info: add, warn: add, error: add, child: () => log };
  return log;
}

describe("a shutdown", () => {
  test("ends what began last first, one after the other", async () => {
    const ended: string[] = [];
    const shutdown = new Shutdown();
    for (const name of ["redis", "queue", "worker"])
      shutdown.add(name, async () => {
        ended.push(`${name} begins`);
        await Promise.resolve();
        ended.push(`${name} ended`);
      });
    await shutdown.run(collectingLog([]));
    expect(ended).toEqual(
      ["worker", "queue", "redis"].flatMap((name) => [`${name} begins`, `${name} ended`]),
    );
  });

  test("a step that fails is told of and keeps no other from its end", async () => {
    const ended: string[] = [];
    const lines: object[] = [];
    const shutdown = new Shutdown();
    shutdown.add("redis", () => void ended.push("redis"));
    shutdown.add("queue", () => Promise.reject(new Error("connection is gone")));
    shutdown.add("worker", () => {
      throw new Error("worker is stuck");
    });
    await shutdown.run(collectingLog(lines));
    expect(ended).toEqual(["redis"]);
    expect(lines).toEqual([
      { step: "worker", err: "worker is stuck", message: "did not end cleanly" },
      { step: "queue", err: "connection is gone", message: "did not end cleanly" },
    ]);
  });
});

describe("the end of what a failed start has begun", () => {
  test("waits no longer than its time, and names the step that does not end", async () => {
    const lines: object[] = [];
    const asked: number[] = [];
    const shutdown = new Shutdown({ sleep: async (ms) => void asked.push(ms) });
    shutdown.add("redis", () => expect.unreachable("the queue has not ended"));
    shutdown.add("queue", () => new Promise<void>(() => undefined));
    await shutdown.unwind(collectingLog(lines));
    expect(asked).toEqual([10_000]);
    expect(lines).toEqual([{ step: "queue", afterMs: 10_000, message: "did not end in time" }]);
  });

  test("is told of no further when every step has ended", async () => {
    const lines: object[] = [];
    const ended: string[] = [];
    const shutdown = new Shutdown({ sleep: () => new Promise(() => undefined) });
    for (const name of ["redis", "queue"]) shutdown.add(name, () => void ended.push(name));
    await shutdown.unwind(collectingLog(lines));
    expect([ended, lines]).toEqual([["queue", "redis"], []]);
  });
});

interface Run {
  readonly code: number | null;
  readonly errors: string;
}

/** A process that runs a service; once it prints that it is up, it is signalled. */
async function run(start: string, then: "SIGTERM" | "nothing" = "SIGTERM"): Promise<Run> {
  const script = `import { runService } from ${JSON.stringify(new URL("lifecycle.ts", import.meta.url).href)};
    import { Fault } from ${JSON.stringify(import.meta.resolve("@fleet-reloader/domain/fault"))};
    const say = () => undefined;
    const broken = new Promise(say);
    const error = (fields, message) => console.error(JSON.stringify({ ...fields, message }));
    const log = { debug: say, info: say, warn: say, error, child: () => log };
    await runService(async () => { ${start} });
    setInterval(say, 1000);
    process.stdout.write("up");`;
  // A process that does not end fails its test instead of outliving it.
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  child.stdout.once("data", () => then === "nothing" || child.kill(then));
  const errors = text(child.stderr);
  await once(child, "close");
  return { code: child.exitCode, errors: await errors };
}

describe("a service", () => {
  test("ends with 0 after SIGTERM, when all has been put away", async () => {
    expect(await run("return { log, broken, stop: async () => undefined };")).toEqual({
      code: 0,
      errors: "",
    });
  });

  // The first process of a container ignores a signal without a handler: a pod that waits for Redis would be killed late.
  test("ends with 0 after SIGTERM also while it starts", async () => {
    const waits = 'process.stdout.write("waits"); setInterval(say, 1000); await new Promise(say);';
    expect(await run(`${waits} return { log, broken, stop: say };`)).toEqual({ code: 0, errors: "" });
  });

  test("with a wrong configuration ends with 78 and nothing but the problems", async () => {
    expect(await run('throw new Fault("config.invalid", "--a: wrong\\n--b: wrong");')).toEqual({
      code: 78,
      errors: "--a: wrong\n--b: wrong\n",
    });
  });

  test("that fails to start otherwise ends with 1 and tells where", async () => {
    const { code, errors } = await run('throw new Error("out of luck");');
    expect(code).toBe(1);
    expect(errors).toMatch(/out of luck\n\s+at /);
  });

  test("that cannot be stopped cleanly ends all the same", async () => {
    const start = 'return { log, broken, stop: () => Promise.reject(new Error("stuck")) };';
    expect((await run(start)).code).toBe(1);
  });

  test.each([
    [
      "its own loop ends",
      "broken: Promise.reject(new Fault('engine.invariant', 'holds ended'))",
      "holds ended",
    ],
    ["nothing waits for a failure", "broken, later: Promise.reject(new Error('lost'))", "lost"],
    [
      "nothing catches an exception",
      "broken, later: setTimeout(() => { throw new Error('thrown'); })",
      "thrown",
    ],
  ])("in which %s ends with 70 and says why", async (_, state, why) => {
    const { code, errors } = await run(
      `setInterval(say, 1000); return { log, stop: say, ${state} };`,
      "nothing",
    );
    expect(code).toBe(70);
    expect(JSON.parse(errors)).toMatchObject({
      reason: "engine.invariant",
      err: expect.stringContaining(why),
      message: expect.stringContaining("ends"),
    });
  });

  test("that fails behind its own start says so although there is no log yet", async () => {
    const { code, errors } = await run(
      'void Promise.reject(new Error("too early")); await new Promise(say);',
      "nothing",
    );
    expect(code).toBe(70);
    expect(errors).toContain("too early");
  });
});
