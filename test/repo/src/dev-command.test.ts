import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./root.ts";

// To run all the same would let who mistypes believe that what was meant has been checked.
test.each([
  ["test", "--help"],
  ["test", "-h"],
  ["test", "--real", "--help"],
  ["check", "--help"],
  ["fix", "-h"],
  ["bundle", "--help"],
  ["help", "test"],
])("./dev %s %s says what it does, and does nothing", (...words) => {
  // Nothing is on PATH that could set anything up.
  const tools = { ...process.env, PATH: "/usr/bin:/bin" };
  const { status, stdout, stderr } = spawnSync(join(root, "dev"), words, { encoding: "utf8", env: tools });
  const command = words.find((word) => word !== "help");
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: expect.stringContaining(`usage: ./dev ${command}`),
    stderr: "",
  });
});

test.each(["check", "fix", "bundle"])("./dev %s takes no further words, and says so", (command) => {
  const { status, stderr } = spawnSync(join(root, "dev"), [command, "nonsense"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([
    1,
    `dev: ${command}: nonsense: not understood; write ./dev ${command}\n`,
  ]);
});
