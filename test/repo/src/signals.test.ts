import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { faultCatalogue } from "@fleet-reloader/domain/fault";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { logReasons } from "@fleet-reloader/domain/log-reasons";
import { rolloutReasons } from "@fleet-reloader/domain/rollout-state/reasons";
import { expect, test } from "vitest";
import { alerts } from "../../../infra/signals/alerts.ts";
import { signalPages } from "../../../infra/signals/signal-pages.ts";
import { root } from "./root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test("dashboard and alerts are what the list of metrics says", () => {
  for (const [path, text] of signalPages())
    expect(existsSync(join(root, path)) && read(path), `${path}: run ./dev generate`).toBe(text);
});

test("every alert, fault, hold, parked request and bad rollout has a runbook", () => {
  const sections = [...read("docs/operate/runbooks.md").matchAll(/^### (.+)$/gm)].map(
    ([, name]) => name ?? "",
  );
  const bad = rolloutReasons.filter(({ ends }) => ends !== "healthy");
  const named = [...holdReasons, ...logReasons, ...bad].map(({ reason }) => reason);
  const needed = [...alerts.map(({ name }) => name), ...Object.keys(faultCatalogue), ...named];
  expect(needed.length).toBeGreaterThan(60);
  expect(needed.filter((name) => !sections.includes(name))).toEqual([]);
  // Nobody looks for what no longer exists.
  expect(sections.filter((name) => !needed.includes(name))).toEqual([]);
  expect(new Set(sections).size).toBe(sections.length);
});

test("every link of the runbooks leads to a section or a file", () => {
  const page = read("docs/operate/runbooks.md");
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...page.matchAll(/\]\((?!http)([^)#]*)(?:#([^)]+))?\)/g)];
  expect(links.length).toBeGreaterThan(15);
  for (const [link, path = "", anchor = ""] of links) {
    if (path === "") expect(anchors, link).toContain(anchor);
    else expect(existsSync(join(root, "docs/operate", path)), link).toBe(true);
  }
});
