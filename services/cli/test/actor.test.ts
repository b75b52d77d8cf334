import { userInfo } from "node:os";
import process from "node:process";
import { expect, test } from "vitest";
import { actorOf } from "../src/acts/act-flags.ts";

test("who acts is who was named, and else the user of this machine", () => {
  expect(actorOf({ by: "ann" })).toBe("ann");
  expect(actorOf({ by: "" })).toBe(userInfo().username);
});

// OpenShift runs a pod under a number that no file of the image knows.
test("a user without a name is told by its number", () => {
  const unknown = () => {
    throw Object.assign(new Error("uv_os_get_passwd returned ENOENT"), { code: "ERR_SYSTEM_ERROR" });
  };
  expect(actorOf({ by: "" }, unknown)).toBe(`uid ${process.getuid?.()}`);
});
