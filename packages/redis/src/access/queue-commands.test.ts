import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addingCommands, askingCommands, promotingCommands, takingCommands } from "./queue-commands.ts";
import { redisAclRules } from "./redis-roles.ts";

const scripts = join(dirname(fileURLToPath(import.meta.resolve("bullmq"))), "scripts");

/** The commands that these BullMQ scripts call. `names` are the first words of the script files. */
function commandsOf(names: readonly string[]): readonly string[] {
  const files = readdirSync(scripts).filter((file) => file.endsWith(".js"));
  const texts = names.map((name) => {
    const file = files.find((one) => one.startsWith(`${name}-`));
    if (file === undefined) throw new Error(`BullMQ has no script ${name}`);
    return readFileSync(join(scripts, file), "utf8");
  });
  const calls = texts.flatMap((text) => [...text.matchAll(/\bp?r?call\(\s*['"]([A-Za-z]+)['"]/g)]);
  const pushes = texts.flatMap((text) => [...text.matchAll(/['"]([LR]PUSH)['"]/g)]);
  return [...new Set([...calls, ...pushes].map(([, command = ""]) => command.toLowerCase()))].toSorted();
}

test.each([
  [
    "asking",
    askingCommands,
    ["getCounts", "getRanges", "getJobs", "getRateLimitTtl", "getStateV2"],
    ["del", "rpop"],
  ],
  ["adding", addingCommands, ["addStandardJob", "addDelayedJob", "addPrioritizedJob"], []],
  ["promoting", promotingCommands, ["promote"], []],
  [
    "taking",
    takingCommands,
    [
      ...["moveToActive", "moveToDelayed", "moveToFinished", "moveStalledJobsToWait", "retryJob"],
      ...["extendLock", "extendLocks", "releaseLock", "updateData"],
    ],
    [],
  ],
])("commands for %s are those that the scripts of BullMQ call", (_, listed, names, left) => {
  expect([...listed, ...left].toSorted()).toEqual(commandsOf(names));
});

test("every command of a script of ours is granted to somebody", () => {
  const folder = join(import.meta.dirname, "..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^(?!.*\.test\.).*\.ts$/.test(file),
  );
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  const calls = texts.flatMap((text) => [...text.matchAll(/\b(?:redis\.call|write)\('([A-Z]+)'/g)]);
  const called = new Set(calls.map(([, command = ""]) => `+${command.toLowerCase()}`));
  expect(called.size).toBeGreaterThan(30);
  const granted = new Set(redisAclRules("standalone"));
  expect([...called].filter((command) => !granted.has(command))).toEqual([]);
});
