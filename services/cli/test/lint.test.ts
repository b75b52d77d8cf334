import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { liveRules } from "@fleet-reloader/domain/lint/lint-live";
import { lintRules } from "@fleet-reloader/domain/lint/rules";
import { afterAll, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";

const fixtures = fileURLToPath(new URL("fixture/manifests", import.meta.url));
const catalystApi = join(fixtures, "catalyst-api.yaml");
const folder = mkdtempSync(join(tmpdir(), "fr-lint-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function lint(args: readonly string[], input = "") {
  return await commandRun(["lint", ...args], { input });
}

function written(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const deployment = (annotations: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  annotations: ${annotations}
spec:
  template:
    spec:
      containers:
        - { name: api, envFrom: [{ configMapRef: { name: settings } }] }
`;
const clean = deployment('{ reloader.stakater.com/auto: "true" }');
const canary = "canary-5b1d";

test("a wrong name is told with its place and the right one, and ends with 1", async () => {
  const { code, errors, output } = await lint([catalystApi]);
  expect({ code, errors }).toEqual({ code: 1, errors: "" });
  expect(output.split("\n")[0]).toMatch(
    /catalyst-api\.yaml:10:42 error source-wrong-name Deployment catalyst\/catalyst-api: .*write catalyst-handover-jwt-public/,
  );
});

test.each(["runtime-validation.yaml", "flux.yaml"])("%s has no finding and ends with 0", async (name) => {
  expect(await lint([join(fixtures, name)])).toEqual({ code: 0, output: "", errors: "" });
});

test("a folder is read with all below it", async () => {
  written("tree/a/one.yml", clean);
  written(
    "tree/b/two.json",
    JSON.stringify(
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "x", annotations: { "reloader.stakater.com/auto": "true" } },
      },
      undefined,
      2,
    ),
  );
  written("tree/notes.txt", "{{ no manifest");
  written("tree/.hidden/three.yaml", "{{ no manifest");
  const { code, output } = await lint([join(folder, "tree")]);
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/two\.json:7:37 warning annotation-misplaced/),
  });
});

test("the standard input is read, JSON and lists, too", async () => {
  const list = JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", annotations: { "reloader.stakater.com/auto": "true" } },
      },
    ],
  });
  expect(await lint(["-"], list)).toMatchObject({ code: 1, output: expect.stringContaining("stdin:1:") });
  expect(await lint(["-"], clean)).toEqual({ code: 0, output: "", errors: "" });
});

test("notes alone end with 0", async () => {
  const { code, output } = await lint(
    ["-"],
    deployment('{ configmap.reloader.stakater.com/reload: "settings," }'),
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("note list-untrimmed") });
});

test("an annotation without quotes that Kubernetes reads as a boolean is no text", async () => {
  const { output } = await lint(["-"], deployment("{ reloader.stakater.com/auto: yes }"));
  expect(output).toContain(
    'stdin:5:46 error annotation-not-text Deployment api: reloader.stakater.com/auto: "true" is no text',
  );
});

test.each([
  ["a control line", `{{- if .Values.enabled }}\n${clean}{{- end }}\n`],
  ["a name", clean.replace("name: api", "name: {{ .Release.Name }}")],
  ["a quoted name", clean.replace("name: api", 'name: "{{ .Release.Name }}"')],
  ["an annotation", deployment('{ configmap.reloader.stakater.com/reload: "{{ .Values.name }}" }')],
])("a template with %s is said to be one", async (_, template) => {
  const { code, errors, output } = await lint(["-"], template);
  expect({ code, errors }).toEqual({ code: 1, errors: "" });
  expect(output).toMatch(/^stdin:\d+:\d+ warning template-unrendered the file is a template[^\n]*\n$/);
});

test.each([
  [
    "an ApplicationSet",
    `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: shop }
spec: { template: { metadata: { name: "{{.name}}-shop" }, spec: { source: { chart: shop } } } }`,
  ],
  [
    "a policy",
    `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: copies }
spec: { rules: [{ generate: { apiVersion: v1, kind: Secret, name: "{{request.object.metadata.name}}" } }] }`,
  ],
])("%s with braces for its own program is no template", async (_, object) => {
  const misspelt = deployment('{ configmap.reloader.stakater.com/reload: "setings" }');
  const { output } = await lint(["-"], `${object}\n---\n${misspelt}`);
  expect(output.split("\n")).toEqual([expect.stringContaining("source-wrong-name"), ""]);
});

test("JSON says each finding with its parts", async () => {
  const { output } = await lint([catalystApi, "-o", "json"]);
  expect(JSON.parse(output)).toMatchObject({
    findings: [
      { rule: "source-wrong-name", severity: "error", line: 10, column: 42, value: "handover-jwt-public" },
      {},
    ],
  });
});

test("SARIF names every rule, and its fingerprints outlast a move within the file", async () => {
  const { output } = await lint([catalystApi, "--output=sarif"]);
  const sarif = JSON.parse(output);
  const [run] = sarif.runs;
  expect(sarif.version).toBe("2.1.0");
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(Object.keys(lintRules));
  const moved = await lint(["-", "-osarif"], `# one\n# two\n${readFileSync(catalystApi, "utf8")}`);
  const [runMoved] = JSON.parse(moved.output).runs;
  const prints = (of: typeof run) =>
    of.results.map((result: { partialFingerprints: unknown }) => result.partialFingerprints);
  expect(prints(runMoved)).toEqual(prints(run));
  expect(new Set(prints(run).map((print: object) => JSON.stringify(print))).size).toBe(run.results.length);
  expect(run.results[0]).toMatchObject({
    ruleId: "source-wrong-name",
    level: "error",
    locations: [{ physicalLocation: { region: { startLine: 10, startColumn: 42 } } }],
  });
});

test.each([
  [["--outptu", "json"], "did you mean --output?"],
  [["-o", "xml", "-"], "must be one of text, json, sarif"],
  [[], "FILE: none is given"],
  [[join(folder, "nowhere.yaml")], "there is no such file"],
])("%j is told, and ends with 2", async (args, message) => {
  expect(await lint(args)).toMatchObject({ code: 2, errors: expect.stringContaining(message) });
});

test.each([
  ["broken.yaml", `kind: Secret\nstringData: { a: "${canary}\n  b: ]`],
  ["text.yaml", canary],
  [
    "bomb.yaml",
    `a: &a [${canary}]\n${"bcdefg"
      .split("")
      .map((name, at) => `${name}: &${name} [${`*${"abcdef"[at]},`.repeat(20)}]`)
      .join("\n")}`,
  ],
  ["twice.json", `{"kind": "Secret", "data": {"a": "${canary}"} "b"}`],
])("%s cannot be read, ends with 2 and is not quoted", async (name, content) => {
  const { code, errors, output } = await lint([written(name, content)]);
  expect({ code, output }).toEqual({ code: 2, output: "" });
  expect(errors).toContain(`${name}:`);
  expect(errors).not.toContain(canary);
});

test("what can be read is checked although another file cannot", async () => {
  const { code, output } = await lint([catalystApi, join(folder, "nowhere.yaml")]);
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining("source-wrong-name") });
});

test.each(["text", "json", "sarif"])("as %s no content of a Secret is shown", async (format) => {
  const secret = `apiVersion: v1
kind: Secret
metadata:
  name: settings
  annotations:
    reloader.stakater.com/auto: "true"
    kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"a":"${canary}"}}'
immutable: true
stringData: { a: ${canary} }
data: { b: ${Buffer.from(canary).toString("base64")} }
---
${deployment('{ secret.reloader.stakater.com/reload: "setings" }')}`;
  const { code, errors, output } = await lint(["-", "-o", format], secret);
  expect(code).toBe(1);
  expect(output).toContain("annotation-misplaced");
  for (const hidden of [canary, Buffer.from(canary).toString("base64")])
    expect(output + errors).not.toContain(hidden);
});

test.each(["--help", "-h"])("%s says what lint does", async (flag) => {
  const { code, errors, output } = await lint([flag]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  for (const part of [
    "fleet-reloader lint FILE... | -",
    "Examples:",
    "Exit codes:",
    "--output text|json|sarif",
  ])
    expect(output).toContain(part);
});

test("a name with a line break forges no line", async () => {
  const { output } = await lint(
    ["-"],
    deployment('{ configmap.reloader.stakater.com/reload: "(a\\nall.yaml:1:1 error" }'),
  );
  expect(
    output
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("stdin:")),
  ).toEqual([]);
});

test("docs/lint.md has every rule as it is", () => {
  const page = readFileSync(fileURLToPath(new URL("../../../docs/lint.md", import.meta.url)), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(
    Object.entries(lintRules).map(
      ([id, { finds, mend, severity }]) =>
        `| \`${id}\` | ${severity} | ${finds.replaceAll("a|b", "a\\|b")} | ${mend.replaceAll(" | ", " \\| ")} |`,
    ),
  );
});

test("docs/lint.md names the rules that raise an Event", () => {
  const page = readFileSync(fileURLToPath(new URL("../../../docs/lint.md", import.meta.url)), "utf8");
  const [sentence = ""] = /raises one Event `LintFinding`[^:]*:[^.]*\./.exec(page) ?? [];
  const named = [...sentence.matchAll(/`([a-z-]+)`/g)].map(([, rule]) => rule);
  expect(named.toSorted()).toEqual(liveRules.toSorted());
});
