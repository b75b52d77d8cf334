import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

test("without a flag it plays and stays, with --once it plays and ends", () => {
  expect(readArguments([])).toEqual({ type: "play", isOnce: false });
  expect(readArguments(["--once"])).toEqual({ type: "play", isOnce: true });
  expect(readArguments(["-h"])).toEqual({ type: "help" });
});

test.each([["--onec"], ["--once=yes"], ["twice"]])("%s is named and refused", (argument) => {
  const read = readArguments([argument]);
  expect(read.type).toBe("wrong");
  expect(read.type === "wrong" && read.message).toContain(argument.split("=")[0]);
});
