import { expect, test } from "vitest";
import { likelyName } from "./likely-name.ts";

const known = ["catalyst-handover-jwt-public", "sovereign-fqdn", "db"];

test.each([
  ["handover-jwt-public", "catalyst-handover-jwt-public"],
  ["sovereign-fdqn", "sovereign-fqdn"],
  ["db-credentials", "db"],
  ["handover.jwt.public", "catalyst-handover-jwt-public"],
])("%s most likely means %s", (name, meant) => {
  expect(likelyName(name, known)).toBe(meant);
});

test.each(["over-jwt", "unrelated"])("%s means none of them", (name) => {
  expect(likelyName(name, known)).toBeUndefined();
});

test("of names that say more the shortest is meant", () => {
  expect(likelyName("settings", ["settings-of-the-second-stage", "my-app-settings"])).toBe("my-app-settings");
});
