import { relative } from "node:path";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { root } from "./root.ts";

/** What the JSON report of a vitest run says. */
export interface TestReport {
  readonly passed: number;
  /** One line for each test, and each file, that failed. */
  readonly failures: readonly string[];
}

/** So much of a reason is shown; whole outputs of processes are part of some. */
const reasonMax = 200;

/** Undefined for a report that cannot be read: the run ended while it was being written. */
export function readTestReport(text: string): TestReport | undefined {
  const report = parseJson(text);
  if (report === undefined) return undefined;
  const passed = jsonField(report, "numPassedTests");
  return {
    passed: typeof passed === "number" ? passed : 0,
    failures: jsonList(report, "testResults").flatMap(failuresOfFile),
  };
}

function failuresOfFile(file: unknown): readonly string[] {
  const path = relative(root, jsonText(file, "name") ?? "");
  const failed = jsonList(file, "assertionResults").filter((one) => jsonField(one, "status") === "failed");
  const lines = failed.map((one) => {
    const [reason] = jsonList(one, "failureMessages");
    return `${path}: ${jsonText(one, "fullName")}: ${firstLine(String(reason))}`;
  });
  // A file that could not be loaded, or whose hooks failed, has no test that did.
  if (lines.length === 0 && jsonField(file, "status") === "failed")
    return [`${path}: ${firstLine(jsonText(file, "message") ?? "")}`];
  return lines;
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.slice(0, reasonMax);
}
