import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["kubeconfig", "log-level", "log-format", "auto-reload-all", "redis-url"];

test.each([
  ["kubeconfg", "kubeconfig"],
  ["log-fromat", "log-format"],
  ["loglevel", "log-level"],
  ["AutoReloadAll", "auto-reload-all"],
  ["redis-ulr", "redis-url"],
])("%s was meant to be %s", (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test.each(["", "zzz", "config", "constructor"])("%j is none of them", (name) => {
  expect(nearestName(name, known)).toBeUndefined();
});
