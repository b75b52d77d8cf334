import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatLabelSelector, matchesSelector, parseLabelSelector } from "./label-selector.ts";

function selects(text: string, labels: Readonly<Record<string, string>>): boolean {
  const selector = parseLabelSelector(text);
  if ("problem" in selector) throw new Error(selector.problem);
  return matchesSelector(selector, labels);
}

describe("a label selector", () => {
  test.each([
    ["", {}, true],
    ["a=b", { a: "b" }, true],
    ["a = b", { a: "b" }, true],
    ["a==b", { a: "c" }, false],
    ["a=b", {}, false],
    ["a=", { a: "" }, true],
    ["a=", {}, false],
    ["a!=b", { a: "b" }, false],
    ["a!=b", { a: "c" }, true],
    ["a!=b", {}, true],
    ["a in (b, c)", { a: "c" }, true],
    ["a in (b,c)", {}, false],
    ["a notin (b,c)", { a: "c" }, false],
    ["a notin (b)", {}, true],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["! a", { a: "x" }, false],
    ["a>3", { a: "4" }, true],
    ["a>3", { a: "3" }, false],
    ["a<3", { a: "2" }, true],
    ["a<3", { a: "few" }, false],
    ["a=b,c in (d,e),!f", { a: "b", c: "e" }, true],
    ["a=b,c in (d,e),!f", { a: "b", c: "e", f: "" }, false],
    ["example.com/team=web", { "example.com/team": "web" }, true],
    // The name of a label does not matter, even if it looks like an operator or a property of a prototype.
    ["in in (in)", { in: "in" }, true],
    ["constructor", {}, false],
  ])("%j on %j: %s", (text, labels, expected) => {
    expect(selects(text, labels)).toBe(expected);
  });

  test.each([
    ["a:b", { a: "b" }, true],
    ["a:b", { a: "c" }, false],
    ["a:*", { a: "anything" }, true],
    ["a:*", {}, false],
    ["a=*", { a: "anything" }, true],
    ["a=b,c:d", { a: "b", c: "d" }, true],
  ])("in the peer's form %j on %j: %s", (text, labels, expected) => {
    expect(selects(text, labels)).toBe(expected);
  });

  test.each(["a b", "=b", "a in b", "a in (b", "a>b", "a=b c", "a,,b", "-a", "a=b=c", "a in (b*)", "a/b/c"])(
    "%j is refused with what to write instead",
    (text) => {
      const parsed = parseLabelSelector(text);
      expect("problem" in parsed && parsed.problem).toMatch(/ is no label requirement; write key=value/);
    },
  );

  test("is sent to the server in Kubernetes' own words", () => {
    const parsed = parseLabelSelector("a:b, c:*, d in (y, x),!e,f!=g,h>1,i notin (j,k)");
    expect("problem" in parsed ? parsed.problem : formatLabelSelector(parsed)).toBe(
      "a=b,c,d in (x,y),!e,f!=g,h>1,i notin (j,k)",
    );
  });

  test("means the same after it was written and read again", () => {
    const name = fc.stringMatching(/^[a-c]$/);
    const requirement = fc.oneof(
      fc.tuple(name, fc.constantFrom("=", "!=", ":"), name).map((parts) => parts.join("")),
      fc
        .tuple(name, fc.constantFrom("in", "notin"), fc.array(name, { minLength: 1, maxLength: 3 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(", ")})`),
      fc.tuple(fc.constantFrom("", "!"), name).map((parts) => parts.join("")),
    );
    const labels = fc.dictionary(name, name, { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), labels, (requirements, on) => {
        const text = requirements.join(",");
        const parsed = parseLabelSelector(text);
        if ("problem" in parsed) throw new Error(parsed.problem);
        expect(selects(formatLabelSelector(parsed), on)).toBe(selects(text, on));
      }),
    );
  });
});
