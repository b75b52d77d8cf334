import { createHash } from "node:crypto";
import { type LintFinding, lintMessage } from "@fleet-reloader/domain/lint/finding";
import { lintRules } from "@fleet-reloader/domain/lint/rules";
import { printable, printableJson } from "@fleet-reloader/runtime/log/printable";
import { version } from "@fleet-reloader/runtime/process/version";

/** The findings as one text, in the format that was asked for. */
export function lintReport(findings: readonly LintFinding[], format: "text" | "json" | "sarif"): string {
  if (format === "text") return findings.map((finding) => `${reportLineOf(finding)}\n`).join("");
  const report = format === "json" ? jsonReport(findings) : sarifReport(findings);
  return `${JSON.stringify(report, undefined, 2).split("\n").map(printableJson).join("\n")}\n`;
}

function reportLineOf(finding: LintFinding): string {
  const { file, position, rule, severity } = finding;
  return printable(`${file}:${position.line}:${position.column} ${severity} ${rule} ${lintMessage(finding)}`);
}

function jsonReport(findings: readonly LintFinding[]) {
  return {
    findings: findings.map((finding) => {
      const { field, file, mend, object, position, problem, rule, severity, value } = finding;
      const { column, line } = position;
      const message = lintMessage(finding);
      return { rule, severity, file, line, column, object, field, value, problem, mend, message };
    }),
  };
}

/** SARIF 2.1.0, as code scanning reads it. */
function sarifReport(findings: readonly LintFinding[]) {
  const ids = Object.keys(lintRules);
  const fingerprints = fingerprintsOf(findings);
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "fleet-reloader lint",
            version,
            rules: Object.entries(lintRules).map(([id, { finds, mend, severity }]) => ({
              id,
              shortDescription: { text: finds },
              help: { text: mend },
              defaultConfiguration: { level: severity },
            })),
          },
        },
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: finding.severity,
          message: { text: lintMessage(finding) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(finding.file) },
                region: { startLine: finding.position.line, startColumn: finding.position.column },
              },
            },
          ],
          partialFingerprints: { "fleetReloaderLint/v1": fingerprints[index] },
        })),
      },
    ],
  };
}

function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.replace(/^(\.\/)+/, "");
}

/**
 * What stays the same while the finding does: rule, object, field and value, and which of several alike it is. Lines move
 * and files are renamed, so neither is in it.
 */
function fingerprintsOf(findings: readonly LintFinding[]): readonly string[] {
  const counts = new Map<string, number>();
  return findings.map(({ field, object, rule, value }) => {
    const identity = JSON.stringify([rule, object, field, value]);
    const count = counts.get(identity) ?? 0;
    counts.set(identity, count + 1);
    return createHash("sha256").update(`${identity}#${count}`).digest("hex").slice(0, 32);
  });
}
