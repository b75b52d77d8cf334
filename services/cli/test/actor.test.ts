import { userInfo } from "node:os";
import process from "node:process";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { expect, test, vi } from "vitest";
import { actorOf } from "../src/acts/act-flags.ts";
import { wantedEntry } from "../src/freeze/freeze.ts";
import { freezeConfig } from "../src/freeze/freeze-config.ts";

vi.mock("node:os", { spy: true });

test("who acts is who was named, and else the user of this machine", () => {
  expect(actorOf({ by: "ann" })).toBe("ann");
  expect(actorOf({ by: "" })).toBe(userInfo().username);
});

// OpenShift runs a pod under a number that no file of the image knows.
test("a user without a name is told by its number, and may freeze", async () => {
  const unknown = Object.assign(new Error("uv_os_get_passwd returned ENOENT"), { code: "ERR_SYSTEM_ERROR" });
  vi.mocked(userInfo).mockImplementation(() => {
    throw unknown;
  });
  vi.spyOn(process, "getuid").mockReturnValue(1000680000);
  expect(actorOf({ by: "" })).toBe("uid 1000680000");
  const given = { args: ["--fleet", "--reason", "incident 4711"], env: {} };
  const config = await loadServiceConfig("fleet-reloader freeze", freezeConfig, given);
  expect(wantedEntry(config, 0)).toMatchObject({ fleet: true, by: "uid 1000680000" });
  vi.restoreAllMocks();
});
