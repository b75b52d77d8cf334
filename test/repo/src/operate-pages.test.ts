import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commands } from "@fleet-reloader/cli/commands";
import { isJsonObject, jsonField, parseJson } from "@fleet-reloader/domain/json";
import { flagNames } from "@fleet-reloader/runtime/config/help";
import { describe, expect, test } from "vitest";
import { readPage } from "../../e2e/src/pages/page.ts";
import { filesBelow } from "./files-below.ts";
import { root } from "./root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const howTos = readdirSync(join(root, "docs/operate/how-to"));
const schema = parseJson(read("infra/helm/fleet-reloader/values.schema.json"));

test("there is a how-to of at most 40 lines for each scenario, and the index names it", () => {
  expect(howTos).toHaveLength(10);
  for (const page of howTos) {
    expect(read(`docs/operate/how-to/${page}`).trimEnd().split("\n").length, page).toBeLessThanOrEqual(40);
    expect(read("docs/operate/README.md")).toContain(`](how-to/${page})`);
  }
});

test("links of the pages for operators and application teams lead somewhere", () => {
  const pages = [
    ...howTos.map((page) => `docs/operate/how-to/${page}`),
    ...["docs/operate/README.md", "docs/operate/on-call.md", "docs/annotations.md"],
  ];
  for (const from of pages) {
    for (const [, file = "", anchor = ""] of read(from).matchAll(/\]\((?!http)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = file === "" ? from : join(dirname(from), file);
      expect(existsSync(join(root, target)), `${from}: ${file}`).toBe(true);
      if (anchor !== "") expect(anchorsOf(target), `${from}: ${file}#${anchor}`).toContain(anchor);
    }
  }
});

function anchorsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("commands that need a real cluster or other programs", () => {
  const lines = [...howTos.map((page) => `how-to/${page}`), "on-call.md"].flatMap((page) =>
    readPage(page).steps.flatMap((step) => (step.type === "elsewhere" ? [step.words] : [])),
  );

  test("are those of helm, kustomize and kubectl that are checked here", () => {
    const named = lines.map(([program, verb]) => `${program} ${verb}`);
    const known = ["helm upgrade", "helm template", "kustomize build", "kubectl exec", "kubectl auth"];
    expect(new Set(named)).toEqual(new Set(known));
  });

  test.each(lines.filter(([program]) => program === "helm").map((words) => [words] as const))(
    "%j names the chart and values that it has",
    (words) => {
      const [chart = ""] = words.filter((word) => word.startsWith("infra/"));
      expect(existsSync(join(root, chart, "Chart.yaml"))).toBe(true);
      const set = words.filter((_, at) => words[at - 1] === "--set");
      expect(set.length).toBeGreaterThan(1);
      for (const pair of set) expect(hasValue(pair.split("=", 1)[0] ?? ""), pair).toBe(true);
      expect(hasValue("reloader.watchGlobaly")).toBe(false);
    },
  );

  test.each(
    lines.filter(([program]) => program === "kustomize").map((words) => [words.at(-1) ?? ""] as const),
  )("kustomize build %s has resources that exist", (folder) => {
    const resources = [...read(join(folder, "kustomization.yaml")).matchAll(/^ {2}- (\S+)$/gm)];
    expect(resources.length).toBeGreaterThan(0);
    for (const [, resource = ""] of resources) expect(existsSync(join(root, folder, resource))).toBe(true);
  });

  test.each(lines.filter(([, verb]) => verb === "exec").map((words) => [words] as const))(
    "%j runs a command that there is, with flags that it has",
    (words) => expectCommand(words.slice(words.indexOf("--") + 1)),
  );
});

test("the runbooks name commands as they run in a pod, with flags that they have", () => {
  const page = read("docs/operate/runbooks.md");
  expect(page).not.toContain("./dev");
  const named = [...page.matchAll(/`[^`\n]*?(fleet-reloader [a-z][^`\n]*)`/g)].map(([, line = ""]) => line);
  expect(named.length).toBeGreaterThan(5);
  for (const line of named) expectCommand(line.split(" "));
});

/** Of `helm install reloader … -n reloader`, and of the HelmRelease that overrides the name. */
const released =
  / -n (reloader deploy\/reloader-reloader(-watcher|-dashboard)?|kube-system deploy\/reloader) --/;

test("each kubectl exec on a page names namespace and Deployment of a release", () => {
  const pages = ["docs", "infra"].flatMap((folder) => filesBelow(join(root, folder)));
  const lines = [join(root, "README.md"), ...pages]
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/kubectl exec (?:(?! -- ).)+ -- /g)].map(String),
    );
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !released.test(line))).toEqual([]);
});

/** Expects a line of the command line that there is, with flags that it has. */
function expectCommand([program, name, ...rest]: readonly string[]): void {
  expect(program).toBe("fleet-reloader");
  const command = commands.find((one) => one.name === name);
  expect(command, name).toBeDefined();
  const flags = Object.values(command?.flags ?? {}).flatMap(({ meta }) => flagNames(meta));
  for (const word of rest.filter((each) => each.startsWith("-"))) expect(flags, name).toContain(word);
}

/** Whether the chart has a value of this path, by its schema. */
function hasValue(path: string): boolean {
  const found = path
    .split(".")
    .reduce<unknown>((at, key) => jsonField(jsonField(at, "properties"), key), schema);
  return isJsonObject(found);
}
