import { expect, test } from "vitest";
import { dataDirOf } from "./data-dir.ts";

test("the folder is the configured one, else XDG's, else the home's", () => {
  expect(dataDirOf("/data", { XDG_STATE_HOME: "/state" })).toBe("/data");
  expect(dataDirOf("", { XDG_STATE_HOME: "/state", HOME: "/home/me" })).toBe("/state/fleet-reloader");
  expect(dataDirOf("", { XDG_STATE_HOME: "", HOME: "/home/me" })).toBe(
    "/home/me/.local/state/fleet-reloader",
  );
});
