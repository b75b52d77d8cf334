import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "./files-below.ts";
import { root } from "./root.ts";
import { syntaxOf } from "./syntax.ts";

/** Files that repository.test.ts writes and removes, maybe at this moment. */
const isPlanted = (path: string) => path.endsWith("/planted-violation.ts");
const sources = ["packages", "services", "test"]
  .flatMap((folder) => filesBelow(join(root, folder)))
  .filter((path) => path.endsWith(".ts") && !path.includes("/dist") && !isPlanted(path))
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path: path.slice(root.length + 1), lines: text.trimEnd().split("\n").length, ...syntaxOf(text) };
  });
const isProduct = (path: string) =>
  /^(packages\/(?!testkit)|services\/)/.test(path) && !/(\.test\.ts$|\/fixture\/|\/test\/)/.test(path);

test("a file has at most 300 lines, tests and what they set up too", () => {
  expect(sources.filter(({ path }) => isProduct(path)).length).toBeGreaterThan(350);
  expect(sources.length).toBeGreaterThan(900);
  expect(sources.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path}: ${lines}`)).toEqual(
    [],
  );
});

const productFunctions = sources
  .filter(({ path }) => isProduct(path))
  .flatMap(({ path, functions }) =>
    functions.map(({ line, lines, complexity }) => ({ place: `${path}:${line}`, lines, complexity })),
  );

test("a function of the product has at most 60 lines", () => {
  expect(productFunctions.length).toBeGreaterThan(2500);
  expect(productFunctions.filter(({ lines }) => lines > 60)).toEqual([]);
});

test("nineteen of twenty functions of the product have at most 20 lines", () => {
  const lengths = productFunctions.map(({ lines }) => lines).sort((a, b) => a - b);
  expect(lengths[Math.ceil(lengths.length * 0.95) - 1]).toBeLessThanOrEqual(20);
});

test("a function of the product has a cyclomatic complexity of at most 12", () => {
  expect(productFunctions.filter(({ complexity }) => complexity > 12)).toEqual([]);
});

test("the name of a test has at most 80 characters", () => {
  const names = sources.flatMap(({ path, testNames }) => testNames.map((name) => ({ path, name })));
  expect(names.length).toBeGreaterThan(2000);
  expect(names.filter(({ name }) => name.length > 80)).toEqual([]);
});

test("branches are counted for the function they lie in", () => {
  const text =
    "function f(a) {\nif (a && a.b) return a.c ?? 1;\nfor (const d of a) use(() => {\nd ? 1 : 2 }); }\nfunction g() {}";
  expect(syntaxOf(text).functions.map(({ line, complexity }) => [line, complexity])).toEqual([
    [1, 5],
    [3, 2],
    [5, 1],
  ]);
});

test("lengths and names are read from the syntax, whatever the layout", () => {
  const text =
    'test.each([[\n1]])(\n"a %s", () => {\n});\nit("b", function () {});\nclass A { get c() {\nreturn 1; } }';
  expect(syntaxOf(text)).toEqual({
    functions: [
      { line: 3, lines: 2, complexity: 1 },
      { line: 5, lines: 1, complexity: 1 },
      { line: 6, lines: 2, complexity: 1 },
    ],
    testNames: ["a %s", "b"],
  });
});
