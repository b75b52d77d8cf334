import { expect, test } from "vitest";
import { parseHistoryQuery } from "./history-query.ts";

const now = Date.parse("2026-07-01T12:00:00Z");
const parse = (text: string) => parseHistoryQuery(new URLSearchParams(text), now);

test.each([
  ["", { since: { ms: 0 }, limit: 10_000 }],
  ["since=90m", { since: { ms: now - 90 * 60_000 }, limit: 10_000 }],
  ["since=2d", { since: { ms: now - 2 * 86_400_000 }, limit: 10_000 }],
  ["since=2026-07-01T11:00:00Z&limit=5", { since: { ms: now - 3_600_000 }, limit: 5 }],
  ["since=2026-07-01T13:30:00.5%2B02:30", { since: { ms: now - 3_600_000 + 500 }, limit: 10_000 }],
  ["since=1782907200000-3-0", { since: { afterId: "1782907200000-3-0" }, limit: 10_000 }],
  ["cluster=prod&namespace=&name=db", { since: { ms: 0 }, limit: 10_000, cluster: "prod", name: "db" }],
])("?%s is understood", (text, expected) => expect(parse(text)).toEqual(expected));

test.each([
  "2026-07-01T12:00:00",
  "2026-07-01T12:00",
  "2026-07-01T12:00:00 UTC",
  "2026-07-01T25:00:00Z",
  "2026-02-30T12:00:00Z",
  // As digits and dashes these could be ids of lines, of long before there was a history.
  "2026-07-01",
  "2026-7-1",
  "01-07-2026",
  "20260701-12-00",
])("%s is no start: it is another time in another zone, or none", (text) =>
  expect(parse(`since=${text}`)).toEqual({
    problems: [expect.stringContaining("write 2026-07-01T12:00:00Z")],
  }),
);

// Nothing is recorded there yet: an empty answer would say that nothing happened.
test.each(["2027-01-31T18:00:00Z", "2026-07-01T12:02:00Z"])("the future %s is no start", (text) =>
  expect(parse(`since=${text}`)).toEqual({
    problems: [
      `since: "${text}" is in the future; write a time that is over, or 90m for the last 90 minutes`,
    ],
  }),
);

test("a start may be ahead by as much as clocks differ", () =>
  expect(parse("since=2026-07-01T12:00:30Z")).toMatchObject({ since: { ms: now + 30_000 } }));

test("a parameter that is given twice is refused: only one of both would count", () =>
  expect(parse("cluster=nova&cluster=otech62&name=db")).toEqual({
    problems: ["cluster: it is given 2 times; write it once"],
  }));

test("every problem is named with its parameter and what to write", () => {
  const parsed = parse("since=yesterday&limit=0&nmae=db");
  expect("problems" in parsed ? parsed.problems : []).toEqual([
    "nmae: is not known; write since, cluster, namespace, name, change, limit",
    'since: "yesterday" is no time; write 2026-07-01T12:00:00Z, 90m for the last 90 minutes, or the id of a line to go on after it',
    'limit: "0" must be a whole number from 1 to 100000',
  ]);
});
