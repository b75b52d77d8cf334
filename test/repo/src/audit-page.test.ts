import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditEvent, readWhole } from "@fleet-reloader/audit/fixture/audit-events";
import { isJsonObject, jsonField, jsonText } from "@fleet-reloader/domain/json";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./root.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = read("docs/audit.md");

/** Blocks of a language, also those in a list. */
function blocksOf(language: string): readonly string[] {
  const fences = page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\``, "gms"));
  return [...fences].map(([, indent = "", text = ""]) => text.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

const yamlBlocks = blocksOf("yaml").map((text): unknown => parse(text));

test("every flag of our commands on the page is one", () => {
  const known = read("docs/reference/config.md") + read("docs/command-line.md");
  const ours = blocksOf("sh").flatMap((block) =>
    block.split(/\n(?! )/).filter((line) => line.startsWith("./dev run")),
  );
  const flags = ours.flatMap((command) => command.match(/--[a-z-]+/g) ?? []);
  expect(flags.length).toBeGreaterThan(5);
  expect(flags.filter((flag) => !known.includes(`\`${flag}`))).toEqual([]);
});

test("every value of the chart on the page is one", () => {
  const values: unknown = parse(read("infra/helm/fleet-reloader/values.yaml"));
  const block = yamlBlocks.find((one) => jsonField(one, "fleetReloader") !== undefined);
  const audit = jsonField(block, "fleetReloader", "audit");
  const names = isJsonObject(audit) ? Object.keys(audit) : [];
  expect(names).toContain("serverSecret");
  for (const name of names) expect(jsonField(values, "fleetReloader", "audit", name), name).toBeDefined();
});

test("what the forwarder for AKS sends is read, and its parts are connected", () => {
  const pipeline = yamlBlocks.find((one) => jsonField(one, "sinks") !== undefined);
  const sink = jsonField(pipeline, "sinks", "fleet_reloader");
  const list = JSON.stringify([auditEvent(), auditEvent({ verb: "create" })]);
  const body = `${jsonText(sink, "payload_prefix")}${list}${jsonText(sink, "payload_suffix")}`;
  expect(readWhole(Buffer.from(body))).toMatchObject({ events: 2, ignored: new Map() });
  expect(jsonField(sink, "compression")).toBe("none");
  expect(Number(jsonField(sink, "batch", "max_events"))).toBeLessThanOrEqual(50_000);
  const inputOf = (...path: readonly string[]) => jsonField(pipeline, ...path, "inputs");
  expect(inputOf("sinks", "fleet_reloader")).toEqual(["events"]);
  expect(inputOf("transforms", "events")).toEqual(["records"]);
  expect(inputOf("transforms", "records")).toEqual(["event_hub"]);
  const removal = jsonText(pipeline, "transforms", "events", "source");
  for (const body of ["requestObject", "responseObject"]) expect(removal).toContain(`del(.${body})`);
});

test("what the page takes from a log entry of GKE names object and user", () => {
  const rows = page.slice(page.indexOf("## GKE"), page.indexOf("## Limits")).matchAll(/^\| (`.*?) \|/gm);
  const named = [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const whole: Readonly<Record<string, unknown>> = auditEvent();
  const event = Object.fromEntries(
    named.map((name = "") => name.split(".")[0] ?? "").map((name) => [name, whole[name]]),
  );
  const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", items: [event] };
  expect(readWhole(Buffer.from(JSON.stringify(list)))).toMatchObject({
    hints: new Set(["/configmaps/shop/settings"]),
    writes: [{ manager: "kubectl", by: { user: "ann@example.org" } }],
  });
});
