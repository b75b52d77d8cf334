import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import type { Log } from "@fleet-reloader/engine/log";
import { describe, expect, test } from "vitest";
import { Shutdown } from "./lifecycle.ts";

function collectingLog(lines: object[]): Log {
  const add = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const log: Log = { trace: add, debug: add, info: add, warn: add, error: add, child: () => log };
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
      { step: "worker", err: "worker is stuck", message: "could not be ended cleanly" },
      { step: "queue", err: "connection is gone", message: "could not be ended cleanly" },
    ]);
  });
});

interface Run {
  readonly code: number | null;
  readonly errors: string;
}

/** A process that runs a service; once it prints that it is up, it is signalled. */
async function run(start: string): Promise<Run> {
  const script = `import { runService } from ${JSON.stringify(new URL("lifecycle.ts", import.meta.url).href)};
    import { Fault } from ${JSON.stringify(import.meta.resolve("@fleet-reloader/domain/fault"))};
    const say = () => undefined;
    const log = { trace: say, debug: say, info: say, warn: say, error: say, child: () => log };
    await runService(async () => { ${start} });
    setInterval(say, 1000);
    process.stdout.write("up");`;
  // A process that does not end fails its test instead of outliving it.
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 10_000,
    killSignal: "SIGKILL",
  });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  const errors = text(child.stderr);
  await once(child, "close");
  return { code: child.exitCode, errors: await errors };
}

describe("a service", () => {
  test("ends with 0 after SIGTERM, when all has been put away", async () => {
    expect(await run("return { log, stop: async () => undefined };")).toEqual({ code: 0, errors: "" });
  });

  // The first process of a container ignores a signal that it has no handler for: a pod that waits for Redis would be killed late.
  test("ends with 0 after SIGTERM also while it starts", async () => {
    const waits = 'process.stdout.write("waits"); setInterval(say, 1000); await new Promise(say);';
    expect(await run(`${waits} return { log, stop: say };`)).toEqual({ code: 0, errors: "" });
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
    const start = 'return { log, stop: () => Promise.reject(new Error("stuck")) };';
    expect((await run(start)).code).toBe(1);
  });
});
