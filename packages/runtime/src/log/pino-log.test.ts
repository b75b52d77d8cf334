import { execFileSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";

const secret = "c2VjcmV0";

/** The output of a process that logs these statements: standard output is the log's only outlet. */
function printed(format: "json" | "text", level: string, statements: string): string {
  const script = `import { createLog } from ${JSON.stringify(new URL("pino-log.ts", import.meta.url).href)};
    const log = createLog({ service: "worker", level: "${level}", format: "${format}" });
    ${statements}`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
}

const leaks = `
  const content = { password: "${secret}" };
  log.info({ data: content, stringData: content, binaryData: content, token: "${secret}" }, "direct");
  log.info({ object: { data: content, stringData: content, binaryData: content, token: "${secret}" } }, "nested");
  log.child({ token: "${secret}", source: { data: content } }).info({}, "in a child");`;

describe("the log", () => {
  test.each(["json", "text"] as const)(
    "as %s never holds content or tokens, whoever passes them",
    (format) => {
      const text = printed(format, "info", leaks);
      expect(text.trim().split("\n")).toHaveLength(3);
      expect(text).toContain("[never logged]");
      expect(text).not.toContain(secret);
    },
  );

  test("as JSON is a line of constant message and fields", () => {
    const line: unknown = JSON.parse(
      printed(
        "json",
        "info",
        'log.child({ cluster: "c1" }).warn({ kind: "Deployment" }, "workload rolled");',
      ),
    );
    expect(line).toMatchObject({
      level: "warn",
      service: "worker",
      cluster: "c1",
      kind: "Deployment",
      msg: "workload rolled",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("as text reads like a sentence with its names behind it", () => {
    const text = printed(
      "text",
      "debug",
      'log.info({ workload: { kind: "Deployment", namespace: "shop", name: "web" }, keys: ["a", "b"] }, "workload rolled"); log.debug({}, "quiet");',
    );
    const [first, second] = text.split("\n");
    expect(first).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}workload rolled {2}workload=Deployment\/shop\/web keys=a,b$/,
    );
    expect(second).toMatch(/^\S+ debug quiet$/);
  });

  // Others write annotations and error texts (X3): these must not add lines, colours, or text from right to left.
  test("as text lets nobody forge a line or steer the terminal", () => {
    const text = printed(
      "text",
      "info",
      String.raw`log.warn({ value: "a\r\n00:00:00.000 info forged", "k\u001b[2J": "\u202e\u009b31m\u2028" }, "b\nc");`,
    );
    expect(text.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)).toEqual(["\n"]);
    expect(text).toContain(String.raw`b\u{a}c  value=a\u{d}\u{a}00:00:00.000 info forged`);
  });

  test("as JSON does not either, and holds for machines what was written", () => {
    const line = printed(
      "json",
      "info",
      String.raw`log.warn({ value: "\u202e\u009b31m\u007f\u2028\u{e0001}\n" }, "b");`,
    );
    expect(line.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)).toEqual(["\n"]);
    expect(JSON.parse(line)).toMatchObject({ value: "\u202e\u009b31m\u007f\u2028\u{e0001}\n" });
  });

  test("leaves out what is below its level", () => {
    expect(printed("json", "warn", 'log.info({}, "quiet"); log.debug({}, "quieter");')).toBe("");
  });
});
