import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileForTest } from "../fixture/compile-pattern.ts";
import { type CompilePattern, namesSource, PatternBudget, parseNameList, splitNames } from "./name-list.ts";

function parsed(text: string, compile: CompilePattern = compileForTest) {
  return parseNameList(text, new PatternBudget(compile));
}

function matching(text: string, names: readonly string[]) {
  const list = parsed(text);
  return names.filter((name) => namesSource(list, name));
}

describe("an item of a list", () => {
  test("is exact when it could be nothing else", () => {
    expect(parsed("app, db-1 ,x")).toEqual({
      exact: ["app", "db-1", "x"],
      patterns: [],
      invalid: [],
    });
  });

  test.each(["app", "app-", "-app", "0"])("that is exact matches nothing but itself: %s", (item) => {
    expect(matching(item, [item, `${item}x`, `x${item}`, item.toUpperCase(), ""])).toContain(item);
    expect(matching(item, [`${item}x`, `x${item}`, `${item}.x`, ""])).toEqual([]);
  });

  test("has a wildcard in its dots", () => {
    expect(matching("my.app", ["my.app", "my-app", "myapp", "my.app2"])).toEqual(["my.app", "my-app"]);
  });

  test("with an alternative means 'begins with a, or ends with b': nothing groups it", () => {
    expect(matching("a|b", ["a", "ax", "b", "xb", "xa", "bx", "axb"])).toEqual(["a", "ax", "b", "xb", "axb"]);
  });

  test("is split at every comma, also inside braces", () => {
    const list = parsed("a{1,2}");
    expect(list.patterns.map(({ text }) => text)).toEqual(["a{1", "2}"]);
    expect(matching("a{1,2}", ["a", "aa"])).toEqual([]);
  });

  test("is split before it is trimmed and trimmed before it is compiled", () => {
    expect(matching(" app-.* ,\n\tdb ", ["app-1", "db", " db"])).toEqual(["app-1", "db"]);
  });

  test("matches the case it is written in", () => {
    expect(matching("App", ["app", "App"])).toEqual(["App"]);
  });
});

describe("what is left out of a list", () => {
  // 5,000 accepted patterns of a millisecond each kept another cluster waiting for two minutes.
  test("is what costs too much together, reported once; names in full stay", () => {
    const compile = (source: string) => ({ ...compileForTest(source), cost: 1_000 });
    let compiled = 0;
    const counting = (source: string) => {
      compiled += 1;
      return compile(source);
    };
    const items = Array.from({ length: 5_000 }, (_, i) => (i === 4_000 ? "in-full" : `a${i}.*`));
    const list = parsed(items.join(","), counting);
    expect(list.patterns.map(({ text }) => text)).toEqual(items.slice(0, 8));
    expect(list.exact).toEqual(["in-full"]);
    expect(list.invalid).toEqual([{ item: "a8.*", why: expect.stringMatching(/^too costly/) }]);
    expect(compiled).toBe(9);
  });

  // 5,000 of them kept the process silent for seconds, each time that it read the workload.
  test("is what costs too much together before it is found not to compile", () => {
    let compiled = 0;
    const list = parsed(Array.from({ length: 5_000 }, (_, i) => `(a${i}`).join(","), () => {
      compiled += 1;
      return { cost: 1_000, invalid: "does not compile" };
    });
    expect(compiled).toBe(9);
    expect(list.invalid.map(({ why }) => why)).toEqual([
      ...Array.from({ length: 8 }, () => "does not compile"),
      expect.stringMatching(/^too costly/),
    ]);
  });

  test.each(["", " ", ",", ", ,,"])("is an item with nothing in it, silently: %j", (text) => {
    expect(parsed(text)).toEqual({ exact: [], patterns: [], invalid: [] });
  });

  test("is an item that does not compile, and only that", () => {
    const list = parsed("a, (b, c.*");
    expect(list.invalid).toEqual([{ item: "(b", why: "does not compile" }]);
    expect(matching("a, (b, c.*", ["a", "b", "(b", "c1"])).toEqual(["a", "c1"]);
  });

  test("is an item too long for any name, of which no more is quoted than can be shown", () => {
    const list = parsed(`${"x".repeat(1_024)},${"y".repeat(1_025)}`);
    expect(list.exact).toHaveLength(1);
    expect(list.invalid).toEqual([{ item: `${"y".repeat(64)}…`, why: "longer than 1024 characters" }]);
  });

  test("is what comes after the first 5,000 items, reported once", () => {
    const list = parsed(Array.from({ length: 5_002 }, (_, i) => `n${i}`).join(",,"));
    expect(list.exact).toHaveLength(5_000);
    expect(list.invalid).toEqual([{ item: "n5000", why: "only the first 5000 items are read" }]);
  });
});

test("an engine that needs its own object keeps it", () => {
  class Engine {
    readonly cost = 1;
    readonly #only: string;
    constructor(only: string) {
      this.#only = only;
    }
    matches(text: string): boolean {
      return text === this.#only;
    }
  }
  const list = parsed("a.b", (source) => new Engine(source));
  expect(namesSource(list, "^a.b$")).toBe(true);
});

test("a list of names names exactly these", () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
  fc.assert(
    fc.property(fc.array(name), name, (names, other) => {
      const list = parsed(names.join(" , "));
      expect(names.every((each) => namesSource(list, each))).toBe(true);
      expect(namesSource(list, other)).toBe(names.includes(other));
      expect(splitNames(names.join(","))).toEqual(names);
    }),
  );
});
