import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import {
  debounceAnnotation,
  markAnnotation,
  maxWaitAnnotation,
  strategyAnnotation,
} from "@fleet-reloader/domain/annotation/own-keys";
import { lastReloadedFromAnnotation } from "@fleet-reloader/domain/compat/last-reloaded-from";
import { noReasons, yesReasons } from "@fleet-reloader/domain/decision/reasons";
import { rollReasons } from "@fleet-reloader/domain/plan/reasons";
import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { unreadVariables } from "@fleet-reloader/runtime/config/fields/without-effect-fields";
import { defaultOf } from "@fleet-reloader/runtime/config/help";
import { ownMetrics } from "@fleet-reloader/runtime/metrics/own-metrics";
import { peerMetricDescriptions } from "@fleet-reloader/runtime/metrics/peer-metrics";
import { standaloneConfig } from "@fleet-reloader/standalone/config";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "./root.ts";

/** The peer's flags, by hand from its source: the one thing here that our code cannot know. */
const peerFlags = [
  ...["auto-reload-all", "configmap-annotation", "secret-annotation", "auto-annotation"],
  ...["configmap-auto-annotation", "secret-auto-annotation", "ignore-annotation", "auto-search-annotation"],
  ...["search-match-annotation", "pause-deployment-annotation", "pause-deployment-time-annotation"],
  ...["log-format", "log-level", "webhook-url", "resources-to-ignore", "ignored-workload-types"],
  ...["namespaces", "namespaces-to-ignore", "namespace-selector", "resource-label-selector"],
  ...["is-Argo-Rollouts", "reload-strategy", "reload-on-create", "reload-on-delete", "sync-after-restart"],
  ...["enable-ha", "enable-pprof", "pprof-addr", "enable-csi-integration"],
];

const path = "docs/compatibility.md";
const page = readFileSync(join(root, path), "utf8");
const movingPath = "docs/migrate-from-stakater.md";
const movingPage = readFileSync(join(root, movingPath), "utf8");
const manifests = parseAllDocuments(readFileSync(join(root, "infra/manifests/fleet-reloader.yaml"), "utf8"));
const manifestOf = (kind: string) => [...manifests].find((document) => document.get("kind") === kind)?.toJS();
const shape: ConfigShape = standaloneConfig;
const fields = Object.values(shape);
const flags: ReadonlyMap<string, ConfigShape[string]> = new Map(
  fields.flatMap((field) =>
    [field.meta.flag, ...(field.meta.aliases ?? [])].map((name) => [`--${name}`, field] as const),
  ),
);
const variables = new Set([...fields.map(({ meta }) => meta.env), ...unreadVariables.map(({ env }) => env)]);

/** The rows of the tables below a heading, as cells; a bar in code is written `\|`. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const start = page.indexOf(`\n## ${heading}\n`);
  expect(start, `the heading "${heading}"`).toBeGreaterThan(0);
  const next = page.indexOf("\n## ", start + 1);
  const rows = page
    .slice(start, next < 0 ? undefined : next)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("|--"));
  return rows.map((row) =>
    row
      .replaceAll("\\|", "\u0000")
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\u0000", "|")),
  );
}

const codes = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const bare = (cell: string): string => cell.replaceAll("`", "");

describe("flags", () => {
  const rows = rowsUnder("Flags").filter(([name]) => name?.startsWith("`--"));

  test("each of the peer's 29 has one row", () => {
    expect(rows.map(([name = ""]) => bare(name)).toSorted()).toEqual(
      peerFlags.map((flag) => `--${flag}`).toSorted(),
    );
    expect(peerFlags).toHaveLength(29);
  });

  test("each has the default of the page, and the peer's name in the schema", () => {
    for (const [name = "", , here = ""] of rows) {
      const field = flags.get(bare(name));
      expect(field, `${bare(name)} is no flag`).toBeDefined();
      if (field === undefined) continue;
      expect(bare(here), `default of ${name}`).toBe(defaultOf(field.schema, field.meta.defaultText));
      expect(field.meta.peer, `peer's name of ${name}`).toBe(bare(name));
    }
  });

  test("every flag that the page or the page on moving names is one", () => {
    const both = page + movingPage;
    // Other programs' options stand on the page of moving only in lines of theirs, and in values of variables.
    const ours = both.replaceAll(/^(helm|kubectl) (.*\\\n)*.*$/gm, "").replaceAll(/NODE_OPTIONS=\S+/g, "");
    const named = [...ours.matchAll(/(?<![\w-])--[A-Za-z][A-Za-z-]*/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(named)].filter((name) => !flags.has(name))).toEqual([]);
  });
});

test("every field with a name of the peer's is on the page under this name", () => {
  for (const { meta } of fields)
    if (meta.peer !== undefined) expect(codes(page), meta.flag).toContain(meta.peer);
});

test("every variable on the page is read, or says why it is not", () => {
  const named = rowsUnder("Variables").flatMap(([name = ""]) => codes(name));
  expect(named).toEqual(expect.arrayContaining(unreadVariables.map(({ env }) => env)));
  expect(named.filter((name) => !variables.has(name))).toEqual([]);
});

test("every annotation that is understood or written is on the page", () => {
  const { kinds, ...keys } = defaultDialect;
  const own = [debounceAnnotation, maxWaitAnnotation, strategyAnnotation, markAnnotation];
  const all = [...Object.values(keys), ...Object.values(kinds).flatMap((kind) => Object.values(kind))];
  expect(codes(page)).toEqual(expect.arrayContaining([...all, ...own, lastReloadedFromAnnotation]));
});

test("every reason to roll or not to roll is on the page", () => {
  for (const { reason } of [...yesReasons, ...noReasons, ...rollReasons])
    expect(codes(page), reason).toContain(reason);
});

test("every metric with a peer's name is on the page; those there are measured or not", () => {
  const measured = [ownMetrics, peerMetricDescriptions].flatMap((all) => Object.keys(all));
  const rows = rowsUnder("Metrics").filter(([name = ""]) => name.startsWith("`"));
  const onPage = rows.map(([name = ""]) => bare(name));
  for (const name of measured.filter((each) => !each.startsWith("fleet_reloader_")))
    expect(onPage).toContain(name);
  const missing = rows.filter(([name = "", verdict = ""]) => {
    // Those of the process come from the metrics library.
    const isThere = measured.includes(bare(name)) || bare(name) === "process_*";
    return !isThere && verdict !== "**not carried**";
  });
  expect(missing).toEqual([]);
});

test("the rights on the page are those that are shipped", () => {
  const rows = rowsUnder("Rights").filter(([resources = ""]) => resources.includes("`"));
  const rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[] =
    manifestOf("ClusterRole").rules;
  const granted = new Map(
    rules.flatMap(({ resources, verbs }) => resources.map((one) => [one, verbs] as const)),
  );
  const promised = (resource: string, only?: "always") =>
    rows
      .filter(([resources = "", , , when]) => codes(resources).includes(resource) && (only ?? when) === when)
      .flatMap(([, , verbs = ""]) => codes(verbs));
  for (const [resource, verbs] of granted)
    expect(promised(resource), `infra/manifests: ${resource}`).toEqual(expect.arrayContaining([...verbs]));
  for (const resource of rows.flatMap(([resources = ""]) => codes(resources)))
    for (const verb of promised(resource, "always"))
      expect(granted.get(resource), `${path}: ${resource}`).toContain(verb);
});

test("the page on moving names the rights that are new by the table of rights", () => {
  const pairs = (resources: readonly string[], verbs: readonly string[]): readonly string[] =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`));
  const added = rowsUnder("Rights").flatMap(([resources = "", there = "", here = ""]) =>
    pairs(
      codes(resources),
      codes(here).filter((verb) => !codes(there).includes(verb)),
    ),
  );
  const [, table = ""] = /\| New \| On \|\n((?: *\|.*\n)+)/.exec(movingPage) ?? [];
  const named = [...table.matchAll(/\| (`\w+`) \| (.*) \|/g)].flatMap(([, verb = "", on = ""]) =>
    pairs(
      codes(on).filter((word) => !word.startsWith("--")),
      codes(verb),
    ),
  );
  expect(added).toContain("patch jobs");
  expect(new Set(named)).toEqual(new Set(added));
});

test("the container on the page on moving has each place that the manifest names", () => {
  const [, block = ""] = /```yaml\n(containers:[\s\S]*?)```/.exec(movingPage) ?? [];
  const given: readonly string[] = parse(block).containers[0].args;
  const container = manifestOf("Deployment").spec.template.spec.containers[0];
  const places = fields.filter(({ schema, meta }) => {
    const own: string | undefined = container.args.find((arg: string) => arg.startsWith(`--${meta.flag}=`));
    const isDefault = own === `--${meta.flag}=${defaultOf(schema, meta.defaultText)}`;
    const isSet = own !== undefined || container.env.some(({ name }: { name: string }) => name === meta.env);
    return isSet && !isDefault && /-(address|configmap|dir|file)$/.test(meta.flag);
  });
  expect(places.length).toBeGreaterThan(3);
  for (const { meta } of places)
    expect(given, movingPath).toContainEqual(expect.stringMatching(`^--${meta.flag}=.`));
});

test("every row has a verdict, and what is not carried has a reason", () => {
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  for (const heading of headings) {
    const withVerdict = rowsUnder(heading).filter((row) => row.some((cell) => cell.includes("**")));
    expect(withVerdict.length, heading).toBeGreaterThan(3);
    for (const row of withVerdict) {
      const verdict = /\*\*(same|better|not carried)\*\*(.*)/.exec(row.slice(1).join(" ")) ?? [];
      expect(verdict[1], row.join(" | ")).toBeDefined();
      if (verdict[1] === "not carried") expect(verdict[2]?.length, row.join(" | ")).toBeGreaterThan(10);
    }
  }
});

test("links of the pages for people lead somewhere", () => {
  for (const from of [path, movingPath]) {
    const text = readFileSync(join(root, from), "utf8");
    const links = [...text.matchAll(/\]\((?!http)([^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length, from).toBeGreaterThan(3);
    for (const link of links) {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? from : join(dirname(from), file);
      expect(existsSync(join(root, target)), `${from}: ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), `${from}: ${link}`).toContain(anchor);
    }
  }
});

/** As they are made from headings where pages are shown. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...readFileSync(join(root, file), "utf8").matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
