import { readFileSync } from "node:fs";
import { join } from "node:path";
import { historyQueryNames } from "@fleet-reloader/contracts/history-query";
import { expect, test } from "vitest";
import { root } from "./root.ts";

const page = readFileSync(join(root, "docs/reference/history.md"), "utf8");

test("the page on the history has every parameter that a question to it may have", () => {
  const [, rows = ""] = /\| Parameter \| Meaning \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const named = rows.split("\n").flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)]);
  expect(named.map(([, name]) => name)).toEqual(historyQueryNames);
});
