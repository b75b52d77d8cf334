import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDuration } from "@fleet-reloader/domain/duration";
import { afterAll, expect, test } from "vitest";
import { chartPages } from "../../../infra/helm/chart-pages.ts";
import { cruiseFolders } from "./cruise.ts";
import { filesBelow } from "./files-below.ts";
import { generatedPages } from "./generated-pages.ts";
import { root } from "./root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const sources = ["packages", "services", "test", "infra"]
  .flatMap((folder) => filesBelow(join(root, folder)))
  .filter((path) => path.endsWith(".ts") && !path.includes("/dist"))
  .map((path) => path.slice(root.length + 1));

test("the generated pages and the diagram are what the code says", async () => {
  for (const [path, text] of await generatedPages()) {
    expect(existsSync(join(root, path)) && read(path), `${path}: run ./dev generate`).toBe(text);
  }
});

test("the chart's values, their schema and their table are what the descriptions say", () => {
  for (const [path, text] of chartPages()) expect(read(path), `${path}: run ./dev generate`).toBe(text);
});

test("every test that ARCHITECTURE.md names for an invariant exists", () => {
  const links = [...read("ARCHITECTURE.md").matchAll(/\]\(((?:packages|test|docs|infra)\/[^)]*)\)/g)].map(
    (match) => match[1] ?? "",
  );
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
});

test("ARCHITECTURE.md follows one change through at most 12 stations that exist", () => {
  const opening = read("ARCHITECTURE.md").split("\n## ")[1] ?? "";
  const stations = [...opening.matchAll(/^\| \d+ \| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path ?? "");
  expect(stations.length).toBeGreaterThan(5);
  expect(stations.length).toBeLessThanOrEqual(12);
  for (const path of stations) expect(existsSync(join(root, path)), path).toBe(true);
});

test("ARCHITECTURE.md lists the rooms of each package in the enforced order", () => {
  const enforced = /const rooms = \{([\s\S]*?)\n\};/.exec(read(".dependency-cruiser.mjs"))?.[1] ?? "";
  const packages = [...enforced.matchAll(/(\w+): \[([^\]]*)\]/g)];
  expect(packages.length).toBeGreaterThan(2);
  for (const [, name = "", list = ""] of packages) {
    const rooms = [...list.matchAll(/"([^"]+)"/g)].map(([, room]) => `\`${room}\``);
    expect(read("ARCHITECTURE.md")).toContain(`| \`${name}\` | ${rooms.join(" < ")} |`);
  }
});

test("every package and service has a README of at most 30 lines whose links exist", () => {
  const folders = ["packages", "services"].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, parent, entry.name, "package.json")))
      .map((entry) => join(parent, entry.name)),
  );
  expect(folders.length).toBeGreaterThan(10);
  for (const folder of folders) {
    const text = read(join(folder, "README.md"));
    expect(text.trimEnd().split("\n").length, folder).toBeLessThanOrEqual(30);
    for (const part of ["**Owns:**", "**Start here", "**Must not come in:**"])
      expect(text, folder).toContain(part);
    for (const [, link = ""] of text.matchAll(/\]\((?!http)([^)#]+)/g))
      expect(existsSync(join(root, folder, link)), `${folder}: ${link}`).toBe(true);
  }
});

test("links of the README lead somewhere", () => {
  const links = [...read("README.md").matchAll(/\]\((?!http)([^)#]+)\)/g)].map((match) => match[1] ?? "");
  for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
});

test("services that one block of the README starts listen at different addresses", () => {
  const blocks = [...read("README.md").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const addresses = blocks.map((block) =>
    [...block.matchAll(/^\.\/dev run (?:watcher|worker|dashboard) .*$/gm)].map(
      ([line]) => / --listen-address (\S+)/.exec(line)?.[1] ?? "by default",
    ),
  );
  expect(addresses.flat().length).toBeGreaterThan(2);
  for (const each of addresses) expect(new Set(each).size, each.join(", ")).toBe(each.length);
});

/** Where time, randomness and the environment may be read. */
const mayReadThem =
  /^(packages\/runtime\/|packages\/testkit\/|test\/|infra\/|services\/[a-z]+\/src\/main\.ts)|\/fixture\/|\.test\.ts$/;

test("only packages/runtime reads the environment, the time or randomness", () => {
  // A socket's own `setTimeout` is no timer of ours: what is silent too long is told by whoever hears it.
  const banned =
    /\bprocess\.env\b|\bDate\.now\(|\bMath\.random\(|(?<!\.)\bset(Timeout|Interval)\(|\bglobalThis\b/;
  const offenders = sources.filter((path) => !mayReadThem.test(path) && banned.test(read(path)));
  expect(offenders).toEqual([]);
});

test("the end of a turn of the event loop is waited for only where sockets are written", () => {
  const users = sources.filter(
    (path) => !mayReadThem.test(path) && /(?<!\.)\bsetImmediate\(/.test(read(path)),
  );
  expect(users).toEqual(["packages/redis/src/connection/gather-writes.ts"]);
});

test("the product exits through one function, since Node's own exit may hang", () => {
  const product = sources.filter((path) =>
    /^(packages|services)\/(?!testkit)|^infra\/docker\/main/.test(path),
  );
  const exits = /\bprocess\.(exit\(|exitCode\s*=|reallyExit|abort\()/;
  const offenders = product.filter((path) => !path.endsWith(".test.ts") && exits.test(read(path)));
  expect(offenders).toEqual(["packages/runtime/src/process/end-process.ts"]);
});

test("no test is skipped, and none is run alone", () => {
  // Put together, so that this file does not find itself.
  const pattern = new RegExp(`\\b(it|test|describe)\\.(${["skip", "todo", "only"].join("|")})\\b`);
  expect(sources.filter((path) => path.endsWith(".test.ts") && pattern.test(read(path)))).toEqual([]);
});

test("files have names a newcomer would look for", () => {
  const banned = /\/(utils?|helpers?|common|misc|manager|base)(\.ts|\/)/;
  expect(sources.filter((path) => banned.test(`/${path}`))).toEqual([]);
});

test("no folder holds more source files than a newcomer can take in", () => {
  const perFolder = Map.groupBy(
    sources
      .filter((path) => /^(packages|services)\//.test(path))
      .filter((path) => !/(\.test\.ts$|\/fixture\/|^packages\/testkit\/)/.test(path)),
    dirname,
  );
  const crowded = [...perFolder].filter(([, files]) => files.length > 12).map(([folder]) => folder);
  expect(perFolder.size).toBeGreaterThan(30);
  expect(crowded).toEqual([]);
});

test("no package needs itself, neither to run nor to be tested", () => {
  const needs = new Map(
    sources
      .map((path) => /^(packages|services|test)\/[^/]+\//.exec(path)?.[0])
      .filter((folder) => folder !== undefined)
      .map((folder) => {
        const { name, dependencies, devDependencies } = JSON.parse(read(`${folder}package.json`));
        return [String(name), [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})]];
      }),
  );
  const below = (name: string, path: readonly string[]): readonly string[] =>
    path.includes(name)
      ? [[...path, name].join(" → ")]
      : (needs.get(name) ?? []).flatMap((next) => below(next, [...path, name]));
  expect(needs.size).toBeGreaterThan(15);
  expect(needs.get("@fleet-reloader/redis")).toContain("@fleet-reloader/testkit");
  expect([...needs.keys()].flatMap((name) => below(name, []))).toEqual([]);
});

test("a top-level name has one meaning", () => {
  const declared =
    /^(?:export )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) ([A-Za-z0-9_]+)/gm;
  const shipped = sources
    .filter((path) => /^(packages|services)\//.test(path))
    .filter((path) => !/(\.test\.ts$|\/fixture\/|^packages\/testkit\/)/.test(path));
  const places = Map.groupBy(
    shipped.flatMap((path) => [...read(path).matchAll(declared)].map(([, name]) => ({ name, path }))),
    ({ name }) => name,
  );
  const twice = [...places].filter(([, all]) => new Set(all.map(({ path }) => path)).size > 1);
  expect(places.size).toBeGreaterThan(1500);
  expect(twice.map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(", ")}`)).toEqual([]);
});

test("every dependency is named: no bag of options and no literal is spread", () => {
  const bag = /\.{3}(\{|(this\.#|options\.)?(options|hub|engaged|own)\b(?!\.))/;
  const test = /(\/fixture\/|^packages\/testkit\/|^packages\/(?!wiring|dashboard).*\.test\.ts$)/;
  const passing = sources.filter((path) => /^(packages|services)\//.test(path) && !test.test(path));
  expect(passing.length).toBeGreaterThan(350);
  expect(passing.filter((path) => bag.test(read(path)))).toEqual([]);
});

test("the glossary has at most 35 words, and its names in code are in the code", () => {
  const rows = [...read("GLOSSARY.md").matchAll(/^\| (?!Word \|)\w.*\|$/gm)];
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.length).toBeLessThanOrEqual(35);
  const names = [
    ...read("GLOSSARY.md").matchAll(/\| `([A-Za-z]+)`(?:, `([A-Za-z]+)`)?(?:, `([A-Za-z]+)`)? \|$/gm),
  ].flatMap((match) => match.slice(1).filter((name) => name !== undefined));
  expect(names.length).toBeGreaterThan(15);
  const code = sources
    .filter((path) => /^(packages|services)/.test(path))
    .map(read)
    .join("\n");
  for (const name of names) expect(code.includes(name), name).toBe(true);
});

// In this file, since no other test may look at the tree meanwhile.
const planted = [
  [
    "packages/domain/src/planted-violation.ts",
    'import { readFileSync } from "node:fs";\nexport const planted = readFileSync;\n',
    "domain-imports-nothing",
  ],
  [
    "packages/engine/src/planted-violation.ts",
    'export { Reflector } from "@fleet-reloader/kube/watch/reflector";\n',
    "engine-knows-domain",
  ],
  [
    "packages/engine/src/async/planted-violation.ts",
    'export { until } from "@fleet-reloader/testkit/until";\n',
    "testkit-tests-what-it-knows",
  ],
  [
    "packages/testkit/src/planted-violation.ts",
    'export { Keys } from "@fleet-reloader/redis/connection/keys";\n',
    "testkit-knows-domain-and-engine",
  ],
  [
    "packages/kube/src/planted-violation.ts",
    'export { Keys } from "@fleet-reloader/redis/connection/keys";\n',
    "kube-is-an-adapter",
  ],
  [
    "packages/engine/src/ports/planted-violation.ts",
    'export { plan } from "../reconcile/reconcile-workload.ts";\n',
    "engine-ports-imports-downward",
  ],
  [
    "packages/redis/src/planted-violation.ts",
    'export { Keys } from "./connection/keys.ts";\n',
    "redis-src-imports-no-room",
  ],
  [
    "packages/wiring/src/planted-violation.ts",
    'export { startWorker } from "@fleet-reloader/worker/wire";\n',
    "packages-know-no-service",
  ],
  [
    "packages/dashboard/src/planted-violation.ts",
    'export { openFreezes } from "@fleet-reloader/wiring/freezes";\n',
    "dashboard-shows-what-redis-holds",
  ],
  [
    "services/web/src/planted-violation.ts",
    'export { Keys } from "@fleet-reloader/redis/connection/keys";\n',
    "web-runs-in-a-browser",
  ],
  [
    "services/worker/src/planted-violation.ts",
    'export { until } from "@fleet-reloader/testkit/until";\n',
    "tests-are-not-shipped",
  ],
] as const;

const remove = () => {
  for (const [path] of planted) rmSync(join(root, path), { force: true });
};
afterAll(remove);

test("a deliberately bad import in each layer is found", async () => {
  for (const [path, text] of planted) writeFileSync(join(root, path), text);
  const { violations } = await cruiseFolders(["packages", "services"]);
  remove();
  for (const [path, , rule] of planted) {
    expect(
      violations.filter((violation) => violation.from === path).map((violation) => violation.rule),
    ).toContain(rule);
  }
  expect(violations.filter((violation) => !violation.from.includes("planted-violation"))).toEqual([]);
}, 1_200_000);

test("every reason that is said anywhere is documented", () => {
  const page = read("docs/reference/reasons.md");
  const said = sources
    .filter((path) => /^(packages|services)\/[a-z]+\/src\//.test(path))
    .filter((path) => !/(\.test\.ts$|\/fixture\/|^packages\/testkit\/)/.test(path))
    .flatMap((path) => [...read(path).matchAll(/\breason: "([A-Z][A-Za-z]+)"/g)])
    .map(([, reason]) => reason ?? "");
  expect(said).toContain("NamedSourceMissing");
  expect([...new Set(said)].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});

test("the chart takes the durations that the flags take", () => {
  const patterns = read("infra/helm/fleet-reloader/values.schema.json").matchAll(
    /"pattern": ("[^"]*µs[^"]*")/g,
  );
  const found = [...patterns].map(([, text]) => new RegExp(String(JSON.parse(text ?? '""'))));
  expect(found.length).toBeGreaterThan(2);
  for (const text of ["90s", "2h", "2d", "1d12h", "1.5d", "0", "soon", "2", "2 d", "1dd", "d", "2h1d"])
    for (const pattern of found)
      expect(pattern.test(text), `${text} by ${pattern}`).toBe(parseDuration(text) !== undefined);
});
