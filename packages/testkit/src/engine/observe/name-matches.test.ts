import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import { compileForTest } from "@fleet-reloader/domain/fixture/compile-pattern";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";
import { wallClock } from "../../wall-clock.ts";

function counted(matches: (source: string, name: string) => boolean) {
  let asked = 0;
  const compile: CompilePattern = (source) => ({
    cost: 1,
    matches(name) {
      asked += 1;
      return matches(source, name);
    },
  });
  return { compile, asked: () => asked };
}

const clock = new ManualClock();
const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

test("names are found with every pattern that matches them", async () => {
  const matches = new NameMatches({ compile: compileForTest, clock });
  const found = await matches.of(["a.*", ".*b", "("], ["ab", "a", "c"]);
  expect([...found]).toEqual([
    ["ab", ["a.*", ".*b"]],
    ["a", ["a.*"]],
  ]);
});

test("a name is matched once for a list that is in use", async () => {
  const { compile, asked } = counted(() => true);
  const matches = new NameMatches({ compile, clock });
  const items = ["a", "b"];
  await matches.of(items, names(1000));
  expect(asked()).toBe(2000);
  await matches.of(items, names(1001));
  expect(asked()).toBe(2002);
});

test("what is remembered is bounded, and what is in use is remembered longest", async () => {
  const { compile, asked } = counted(() => false);
  const matches = new NameMatches({ compile, clock });
  const usual = names(10);
  await matches.of(["usual"], usual);
  for (let each = 0; each < 10; each += 1) {
    await matches.of([`other-${each}`], names(9_000));
    await matches.of(["usual"], usual);
  }
  expect(asked()).toBe(10 + 10 * 9_000);
  await matches.of(["other-0"], names(9_000));
  expect(asked()).toBe(10 + 11 * 9_000);
  await matches.of(["large"], names(30_000));
  await matches.of(["usual"], usual);
  expect(asked()).toBe(10 + 11 * 9_000 + 30_000 + 10);
});

// A tenant who rewrites a long list again and again asks about few names, or none, and each list is a key.
test.each([
  ["long lists that are asked about one name", 100, "x".repeat(200 * 1024), 1],
  ["long lists that are asked about no name", 100, "x".repeat(200 * 1024), 0],
  ["short lists that are asked about no name", 20_001, "", 0],
])("%s are not remembered for ever", async (_, lists, text, count) => {
  const { compile, asked } = counted(() => false);
  const matches = new NameMatches({ compile, clock });
  await matches.of(["first"], ["app"]);
  for (let at = 0; at < lists; at += 1) await matches.of([`${at}-${text}`], names(count));
  const before = asked();
  await matches.of(["first"], ["app"]);
  expect(asked() - before).toBe(1);
});

// A process that is silent while it matches is restarted by its probe, and keeps all other clusters waiting.
test("others have their turn while many match much", async () => {
  const busyMs = 2;
  const { compile } = counted(() => {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    return false;
  });
  const matches = new NameMatches({ compile, clock: wallClock });
  let isOver = false;
  const all = Promise.all([1, 2, 3, 4].map((each) => matches.of([`list-${each}`], names(60)))).then(() => {
    isOver = true;
  });
  let semaphore = 0;
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    semaphore += 1;
  }
  await all;
  // 480 ms of work in slices of about 6 ms: without them there are none, and 20 at least however busy the machine is.
  expect(semaphore).toBeGreaterThan(20);
});
