import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";

test("a token is new each time, and its hash is what files have", async () => {
  const runs = [await commandRun(["access-token"]), await commandRun(["access-token"])];
  const tokens = runs.map(({ code, errors, output }) => {
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const [, token = "", hash] = /^token: ([\w-]{43})\nhash: {2}(sha256:[0-9a-f]{64})\n$/.exec(output) ?? [];
    expect(hash).toBe(`sha256:${createHash("sha256").update(token).digest("hex")}`);
    return token;
  });
  expect(new Set(tokens).size).toBe(2);
});
