import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./root.ts";
import { readTestReport } from "./test-report.ts";

const file = (name: string, more: object) => ({
  name: join(root, name),
  status: "failed",
  message: "",
  ...more,
});

test("a report names each test that failed, with the first line of its reason", () => {
  const assertionResults = [
    { status: "passed", fullName: "a works", failureMessages: [] },
    { status: "failed", fullName: "a fails", failureMessages: ["Error: not within 10 ms\n    at here"] },
    { status: "pending", fullName: "a waits", failureMessages: [] },
  ];
  const report = { numPassedTests: 1, testResults: [file("packages/a.test.ts", { assertionResults })] };
  expect(readTestReport(JSON.stringify(report))).toEqual({
    passed: 1,
    failures: ["packages/a.test.ts: a fails: Error: not within 10 ms"],
  });
});

test("a report names a file that failed without a test", () => {
  const message = "Error: no such module\n    at there";
  const testResults = [file("packages/b.test.ts", { assertionResults: [], message })];
  expect(readTestReport(JSON.stringify({ numPassedTests: 0, testResults }))).toEqual({
    passed: 0,
    failures: ["packages/b.test.ts: Error: no such module"],
  });
});

test("a report that was cut off is none", () => {
  expect(readTestReport('{"numPassedTests": 1, "test')).toBeUndefined();
});
