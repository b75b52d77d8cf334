import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { describe, expect, test } from "vitest";
import { startPlugin } from "../fixture/counting-plugin.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Credentials } from "./credentials.ts";

const forever = new AbortController().signal;

describe("the plugins of many clusters", () => {
  const atOnce = 2 * Math.max(2, availableParallelism());

  test("run a few at once, and each gets its turn", async () => {
    const dir = mkdtempSync(join(tmpdir(), "fr-plugins-"));
    const log = join(dir, "log");
    const clock = new ManualClock();
    const script = `echo begin >> ${log}; sleep 0.05; echo end >> ${log}; echo '{"status":{"token":"t"}}'`;
    const all = Array.from({ length: 4 * atOnce }, () => new Credentials(scripted(script), clock));
    await Promise.all(all.map((one) => one.get(forever)));
    let running = 0;
    const counts = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => (running += line === "begin" ? 1 : -1));
    expect(counts.length).toBe(8 * atOnce);
    expect(Math.max(...counts)).toBeLessThanOrEqual(atOnce);
    rmSync(dir, { recursive: true });
  });

  test("do not wait for those that hang", async () => {
    const clock = new ManualClock();
    const hung = Array.from({ length: atOnce }, () => new Credentials(scripted("sleep 1000"), clock));
    const waits = hung.map((one) => one.get(forever).catch(() => "stopped"));
    const good = new Credentials(scripted(`echo '{"status":{"token":"t"}}'`), clock);
    const asked = good.get(forever);
    await clock.advance(2000);
    expect((await asked).headers.authorization).toBe("Bearer t");
    for (const one of hung) one.close();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(["stopped"]));
  });

  test("that wait for a turn are given up when their cluster goes", async () => {
    const clock = new ManualClock();
    const hung = Array.from({ length: atOnce }, () => new Credentials(scripted("sleep 1000"), clock));
    for (const one of hung) one.get(forever).catch(() => "stopped");
    const waiting = new Credentials(scripted("true"), clock);
    const asked = waiting.get(forever);
    waiting.close();
    await expect(asked).rejects.toMatchObject({ code: "engine.aborted" });
    for (const one of hung) one.close();
  });

  function scripted(script: string) {
    return targetOf(
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
        users: [{ name: "u", user: { exec: { command: "sh", args: ["-c", script] } } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        "current-context": "c",
      }),
    );
  }
});

test("a plugin is asked again when the time that it tells is over", async () => {
  using plugin = startPlugin("http://127.0.0.1:1");
  const clock = new ManualClock();
  const credentials = new Credentials(plugin.target, clock);
  const giveUntil = (token: string, ms: number) => {
    const expirationTimestamp = new Date(clock.now() + ms).toISOString();
    plugin.giveText(JSON.stringify({ status: { token, expirationTimestamp } }));
  };
  giveUntil("first", 30_000);
  await credentials.get(forever);
  // A plugin whose token has already expired does not run for each request.
  giveUntil("second", -1000);
  await clock.advance(29_000);
  await credentials.get(forever);
  expect(plugin.starts).toBe(1);
  await clock.advance(2000);
  for (let request = 0; request < 3; request += 1)
    expect((await credentials.get(forever)).headers.authorization).toBe("Bearer second");
  expect(plugin.starts).toBe(2);
});
