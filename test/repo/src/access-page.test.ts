import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./root.ts";

const page = readFileSync(join(root, "docs/access.md"), "utf8");

test("addresses on the page on access have the port that its commands listen at", () => {
  const ports = [...page.matchAll(/--dashboard-address (:\d+)/g)].map(([, port]) => port);
  const asked = [...page.matchAll(/https:\/\/reloader\.example\.org(:\d+)?/g)].map(([, port]) => port);
  expect(ports.length).toBeGreaterThan(1);
  expect(asked.length).toBeGreaterThan(3);
  expect(new Set(asked)).toEqual(new Set(ports));
});
