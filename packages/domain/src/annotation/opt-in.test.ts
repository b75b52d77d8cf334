import { describe, expect, test } from "vitest";
import { compileForTest } from "../fixture/compile-pattern.ts";
import {
  auto,
  configMapAuto,
  configMapExclude,
  configMapNamed,
  providerClassNamed,
  search,
  secretAuto,
  secretExclude,
  secretNamed,
} from "../fixture/peer-annotations.ts";
import type { SourceKind } from "../source/source.ts";
import type { Annotations } from "../workload/workload.ts";
import { defaultDialect } from "./dialect.ts";
import { type CompilePattern, namesSource } from "./name-list.ts";
import { mayReload, readOptIn } from "./opt-in.ts";

function read(annotations: Annotations, templateAnnotations: Annotations = {}, autoReloadAll = false) {
  return readOptIn({ annotations, templateAnnotations }, defaultDialect, { autoReloadAll }, compileForTest);
}

describe("where annotations are read from", () => {
  test.each([
    [configMapNamed, "x"],
    [search, "false"],
    [auto, ""],
    [auto, "false"],
    [configMapAuto, "garbage"],
  ])("is the workload as soon as %s is present there, even as %j", (key, value) => {
    const optIn = read({ [key]: value }, { [auto]: "true", [configMapNamed]: "from-template" });
    expect(optIn.kinds.ConfigMap).toMatchObject({ origin: "workload", auto: false });
    expect(optIn.kinds.ConfigMap.named.exact).not.toContain("from-template");
  });

  test("is the template when the workload has none of the four, and then for all four", () => {
    const { ConfigMap } = read(
      { other: "x" },
      { [auto]: "true", [search]: "true", [configMapNamed]: "a" },
    ).kinds;
    expect(ConfigMap).toMatchObject({
      origin: "template",
      auto: true,
      search: true,
      named: { exact: ["a"] },
    });
  });

  test("is decided for each kind of source by the keys of that kind", () => {
    const { kinds } = read({ [secretNamed]: "s" }, { [configMapNamed]: "cm", [secretAuto]: "true" });
    expect(kinds.ConfigMap).toMatchObject({ origin: "template", named: { exact: ["cm"] } });
    expect(kinds.Secret).toMatchObject({ origin: "workload", named: { exact: ["s"] }, autoForKind: false });
  });

  test("is the workload alone for excludes, also when the rest comes from the template", () => {
    const optIn = read(
      { [secretExclude]: "s" },
      { [auto]: "true", [secretExclude]: "t", [configMapExclude]: "c" },
    );
    expect(optIn.kinds.Secret).toMatchObject({ origin: "template", excluded: new Set(["s"]) });
    expect(optIn.kinds.ConfigMap.excluded).toEqual(new Set());
  });

  test("is never a prototype", () => {
    const dialect = { ...defaultDialect, auto: "constructor", search: "__proto__" };
    const workload = { annotations: {}, templateAnnotations: { [auto]: "true" } };
    const optIn = readOptIn(workload, dialect, { autoReloadAll: false }, compileForTest);
    expect(optIn.kinds.ConfigMap).toMatchObject({ origin: "template", auto: false, search: false });
  });
});

describe("a value", () => {
  test.each([
    ["True", true],
    ["t", true],
    ["1", true],
    ["yes", false],
    ["", false],
    ["false", false],
  ])("%j of auto counts as %s", (value, expected) => {
    expect(read({ [auto]: value }).kinds.Secret.auto).toBe(expected);
    expect(read({ [secretAuto]: value }).kinds.Secret.autoForKind).toBe(expected);
  });

  test.each([
    ["true", true],
    ["True", false],
    ["1", false],
    [" true", false],
  ])("%j of search counts as %s", (value, expected) => {
    expect(read({ [search]: value }).kinds.ConfigMap.search).toBe(expected);
  });

  test("of an exclude is a list of exact names", () => {
    expect(read({ [configMapExclude]: " a.b ,c|d,, " }).kinds.ConfigMap.excluded).toEqual(
      new Set(["a.b", "c|d"]),
    );
  });
});

describe("a workload that says nothing about auto is reloaded when all are", () => {
  test.each([{}, { [auto]: "" }, { [secretAuto]: "" }, { [search]: "true" }, { [secretNamed]: "s" }])(
    "%j",
    (annotations) => {
      expect(read(annotations, {}, true).kinds.Secret.autoReloadAll).toBe(true);
      expect(read(annotations, {}, false).kinds.Secret.autoReloadAll).toBe(false);
    },
  );

  test.each([{ [auto]: "garbage" }, { [auto]: "false" }, { [secretAuto]: "false" }, { [secretAuto]: "x" }])(
    "but not with %j",
    (annotations) => {
      expect(read(annotations, {}, true).kinds.Secret.autoReloadAll).toBe(false);
    },
  );

  test("for the kind it says nothing about", () => {
    const { kinds } = read({ [secretAuto]: "false" }, {}, true);
    expect([kinds.ConfigMap.autoReloadAll, kinds.Secret.autoReloadAll]).toEqual([true, false]);
  });
});

describe("a source of a kind may roll the workload", () => {
  const kinds: readonly SourceKind[] = ["ConfigMap", "Secret"];
  const of = (annotations: Annotations, all = false) =>
    kinds.filter((kind) => mayReload(read(annotations, {}, all), kind));

  test.each([
    [{}, []],
    [{ [auto]: "true" }, kinds],
    [{ [auto]: "false" }, []],
    [{ [search]: "true" }, kinds],
    [{ [configMapAuto]: "true" }, ["ConfigMap"]],
    [{ [secretNamed]: "s" }, ["Secret"]],
    [{ [secretNamed]: "s.*" }, ["Secret"]],
    [{ [secretNamed]: " , " }, []],
    [{ [secretNamed]: "(" }, []],
  ])("%j: %j", (annotations, expected) => {
    expect(of(annotations)).toEqual(expected);
  });

  test("when all that say nothing are reloaded, unless it says something", () => {
    expect(of({}, true)).toEqual(kinds);
    expect(of({ [auto]: "false" }, true)).toEqual([]);
  });
});

describe("what the workload wants otherwise", () => {
  const own = (name: string) => `fleet-reloader.io/${name}`;

  test("is read from its own annotations", () => {
    const optIn = read({ [own("debounce")]: "0", [own("max-wait")]: "1m30s", [own("strategy")]: "env-vars" });
    expect(optIn.overrides).toEqual({ quietPeriodMs: 0, maxWaitMs: 90_000, strategy: "env-vars" });
    expect(optIn.problems).toEqual([]);
  });

  test("is nothing by default, and nothing that the pod template says", () => {
    expect(read({}, { [own("debounce")]: "5s" }).overrides).toEqual({});
  });

  test.each([
    ["debounce", "5", "is not a duration; the default is used"],
    ["debounce", "", "is not a duration; the default is used"],
    ["max-wait", "-5s", "is negative; the default is used"],
    ["strategy", "restart", "is not a strategy; the default is used"],
  ])("is as set when %s is %j, and that is pointed out", (name, value, problem) => {
    const optIn = read({ [own(name)]: value });
    expect(optIn.overrides).toEqual({});
    expect(optIn.problems).toMatchObject([{ annotation: own(name), value, problem }]);
  });
});

describe("a problem", () => {
  test("with an annotation for all kinds is one problem", () => {
    expect(read({ [auto]: "yes" }).problems).toEqual([
      {
        annotation: auto,
        value: "yes",
        problem: "is neither true nor false and counts as false",
        mend: 'write "true" or "false"',
      },
    ]);
  });

  test("says which item of a list is left out, and the others count", () => {
    const optIn = read({ [secretNamed]: "good,(bad" });
    expect(optIn.kinds.Secret.named.exact).toEqual(["good"]);
    expect(optIn.problems).toMatchObject([
      { annotation: secretNamed, problem: 'the item "(bad" is left out: does not compile' },
    ]);
  });

  // A workload with three lists of the most expensive patterns took three times as long as one annotation may.
  test("is told of each list whose patterns cost too much beside those of the others", () => {
    const compile: CompilePattern = (source) => ({ ...compileForTest(source), cost: 1_000 });
    const listOf = (count: number) => Array.from({ length: count }, (_, i) => `a${i}.*`).join(",");
    const annotations = {
      [configMapNamed]: listOf(6),
      [secretNamed]: `${listOf(5)},in-full`,
      [providerClassNamed]: listOf(1),
    };
    const workload = { annotations, templateAnnotations: {} };
    const { kinds, problems } = readOptIn(workload, defaultDialect, { autoReloadAll: false }, compile);
    const counted = Object.values(kinds).map(({ named }) => named.patterns.length);
    expect(counted).toEqual([6, 2, 0]);
    expect(kinds.Secret.named.exact).toEqual(["in-full"]);
    expect(problems).toMatchObject([
      { annotation: secretNamed, problem: expect.stringMatching(/"a2\.\*" is left out: too costly/) },
      { annotation: providerClassNamed, problem: expect.stringMatching(/"a0\.\*" is left out: too costly/) },
    ]);
  });

  test("with very many items is told without telling each", () => {
    const { problems } = read({ [secretNamed]: Array.from({ length: 100 }, (_, i) => `(${i}`).join(",") });
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)?.problem).toBe("90 more items are left out");
  });

  test("is a search that people mean to be true", () => {
    expect(read({ [search]: "True" }).problems).toHaveLength(1);
    expect(read({ [search]: "false" }).problems).toEqual([]);
    expect(read({ [search]: "" }).problems).toEqual([]);
  });

  test("quotes no more of the value than can be shown", () => {
    expect(read({ [auto]: "y".repeat(100_000) }).problems[0]?.value).toHaveLength(129);
  });
});

describe("a list that is written as if it were globs", () => {
  test("counts as the patterns it is, and its writer is told the pattern that was meant", () => {
    const optIn = read({ [configMapNamed]: "settings, feature-*" });
    expect(namesSource(optIn.kinds.ConfigMap.named, "feature-x")).toBe(false);
    expect(namesSource(optIn.kinds.ConfigMap.named, "feature--")).toBe(true);
    expect(optIn.problems).toEqual([
      {
        annotation: configMapNamed,
        value: "settings, feature-*",
        problem:
          'the item "feature-*" is a regular expression, in which * repeats the character before it; it is no glob',
        mend: 'write "feature-.*" for any text in place of *',
      },
    ]);
  });

  test("is told the pattern also where a star at its beginning does not compile", () => {
    expect(read({ [secretNamed]: "*-tls.v1" }).problems).toMatchObject([
      {
        problem: expect.stringContaining('"*-tls.v1" is left out'),
        mend: String.raw`write ".*-tls\.v1" for any text in place of *`,
      },
    ]);
  });

  test.each(["feature-.*", "a[a-z]*", "(a|b)*", "app-v\\d*", "x.+", "colou?r", "a|b", "lazy-.*?"])(
    "is not seen in the pattern %s",
    (pattern) => {
      expect(read({ [configMapNamed]: pattern }).problems).toEqual([]);
    },
  );

  test("excludes nothing, and its writer is told", () => {
    const optIn = read({ [auto]: "true", [configMapExclude]: "a,feature-.*" });
    expect(optIn.problems).toEqual([
      {
        annotation: configMapExclude,
        value: "a,feature-.*",
        problem: 'the item "feature-.*" excludes nothing: patterns do not count here',
        mend: "write exact names, separated by commas",
      },
    ]);
  });
});
