import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { holds } from "@fleet-reloader/testkit/until";
import { afterAll, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

function start(...args: readonly string[]) {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  // A process that does not end fails its test instead of surviving it.
  const child = spawn(process.execPath, [main, ...args], { timeout: 120_000, killSignal: "SIGKILL" });
  const errors = text(child.stderr);
  const ended = once(child, "close").then(async () => ({ code: child.exitCode, errors: await errors }));
  return { output: child.stdout, ended, hasEnded: () => child.exitCode !== null };
}

test("a wrong flag ends the command with 78", async () => {
  const run = await commandRun(["history", "--redis-url", "redis://127.0.0.1:1", "--since", "soon"]);
  expect(run).toEqual({ code: 78, output: "", errors: expect.stringContaining("--since") });
});

test("a freeze with an end in the past is refused and replaces no other", async () => {
  const file = join(folder, "kept.yaml");
  const freezing = (...args: readonly string[]) =>
    commandRun(["freeze", "--freeze-file", file, "--cluster", "nova", ...args]);
  expect(await freezing("--until", "2h")).toMatchObject({ code: 0 });
  const before = readFileSync(file, "utf8");
  const errors =
    "--until -2h: this time is over; write a later one, or how long from now, for example 2h or 2d\n";
  expect(await freezing("--until=-2h")).toEqual({ code: 78, output: "", errors });
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("a freeze that no known process reads is written and ends with 3", async () => {
  const run = await commandRun(["freeze", "--fleet", "--data-dir", folder]);
  const errors = expect.stringContaining("warning: no embedded Redis runs in the data dir");
  expect(run).toMatchObject({ code: 3, errors });
  expect(readFileSync(join(folder, "freezes.yaml"), "utf8")).toContain("fleet: true");
});

test("the list says which freezes are over", async () => {
  const file = join(folder, "over.yaml");
  writeFileSync(file, "[{ fleet: true, reason: r, by: ann, until: '2020-01-01T00:00:00Z' }]");
  const { code, output } = await commandRun(["freezes", "--freeze-file", file]);
  expect(output).toContain("(by ann, until 2020-01-01T00:00:00Z, which is over)");
  expect(code).toBe(0);
});

test("an error names the freeze file that cannot be read", async () => {
  const errors = `${tmpdir()}: the file cannot be read (EISDIR); let this process read it, or remove it\n`;
  for (const words of [["freeze", "--fleet"], ["unfreeze", "--fleet"], ["freezes"]])
    expect(await commandRun([...words, "--freeze-file", tmpdir()])).toEqual({ code: 78, output: "", errors });
});

// A script has to tell a failure that may pass from a wrong flag.
test("a Redis that does not answer ends the command with 1 and not with 78", async () => {
  const run = await commandRun(["history", "--redis-url", "redis://127.0.0.1:1"]);
  expect(run).toEqual({ code: 1, output: "", errors: expect.stringContaining("no answer within 5 s\n") });
});

test("a reader that closes the pipe early ends the process with 0", async () => {
  await using redis = await startRedis();
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const keys = new Keys("fleet-reloader");
  await guardShards({ client, keys });
  const time = "2026-07-01T12:00:00.000Z";
  const record = { v: 1, time, type: "operator", action: "freeze", by: "ann", target: "fleet" };
  const line = JSON.stringify({ ...record, note: "x".repeat(1000) });
  // More than a pipe holds.
  const [stream = ""] = keys.histories;
  const ids = Array.from({ length: 1000 }, (_, at) => `${at + 1}-0`);
  await Promise.all(ids.map((id) => client.connection.xadd(stream, id, "record", line)));
  await client.close();
  const { output, ended } = start("history", "--redis-url", redis.url);
  const [chunk] = await once(output, "data");
  expect(String(chunk)).toContain('"id":"1-0-0"');
  output.destroy();
  expect(await ended).toEqual({ code: 0, errors: "" });
});

// A pager takes a screenful and pauses for as long as a person reads.
test("a reader that pauses for longer than a second gets all of the output", async () => {
  const file = join(folder, "many.yaml");
  const reason = "x".repeat(1000);
  writeFileSync(
    file,
    JSON.stringify(Array.from({ length: 300 }, () => ({ fleet: true, reason, by: "ann" }))),
  );
  const { output, ended, hasEnded } = start("freezes", "--freeze-file", file);
  await once(output, "readable");
  await holds("it waits for its reader", 2000, () => !hasEnded());
  expect((await text(output)).split(reason)).toHaveLength(301);
  expect(await ended).toEqual({ code: 0, errors: "" });
});

test("the process ends with the exit code of its command, which reports to stderr", async () => {
  const { output, ended } = start("frezze");
  expect(await text(output)).toBe("");
  expect(await ended).toEqual({ code: 78, errors: "frezze: no such command; did you mean freeze?\n" });
});
