import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "./root.ts";
import { readTestReport, type TestReport } from "./test-report.ts";

/** What a step of a test run came to. */
export interface StepResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** One line for each failure: what failed, and the first line of its reason. */
  readonly failures: readonly string[];
}

/** A command that passes or fails as one. Its output is shown when it fails. */
export async function commandStep(
  name: string,
  command: readonly [string, ...string[]],
  cwd = root,
): Promise<StepResult> {
  const { code, output, seconds } = await run(command, cwd);
  if (code === 0) return report({ name, passed: 1, failed: 0, seconds, failures: [] });
  process.stdout.write(`${output}\n`);
  return report({ name, passed: 0, failed: 1, seconds, failures: [endedWith(code, output)] });
}

/** A vitest run, counted test by test. A run that executed nothing has failed. */
export async function vitestStep(
  name: string,
  options: { readonly cwd: string; readonly args?: readonly string[] },
): Promise<StepResult> {
  const file = join(root, ".dev/results", `${name.replaceAll(" ", "-")}.json`);
  mkdirSync(join(root, ".dev/results"), { recursive: true });
  rmSync(file, { force: true });
  const command = [
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
    ...(options.args ?? []),
  ] as const;
  const { code, output, seconds } = await run(["vitest", ...command.slice(1)], join(root, options.cwd));
  const ran: TestReport | undefined = existsSync(file)
    ? readTestReport(readFileSync(file, "utf8"))
    : undefined;
  const { passed = 0, failures = [] } = ran ?? {};
  const isBroken = (code !== 0 && failures.length === 0) || passed + failures.length === 0;
  if (code !== 0 || isBroken) process.stdout.write(`${output}\n`);
  const all = isBroken ? [endedWith(code, output)] : failures;
  return report({ name, passed, failed: all.length, seconds, failures: all });
}

/** For a command that says nothing of its failures in particular: the line of its output that most likely does, or the last one. */
function endedWith(code: number, output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const find = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  const telling = find(/^\s*\w*Error: /) ?? find(/\berror\b|failed/i) ?? lines.at(-1) ?? "no output";
  return `ended with exit code ${code}: ${telling.trim()}`;
}

/** One line for each step, as it ends. */
function report(result: StepResult): StepResult {
  const verdict = result.failed === 0 ? "ok  " : "FAIL";
  process.stdout.write(
    `${verdict} ${result.name.padEnd(32)} ${String(result.passed).padStart(5)} passed ${String(result.failed).padStart(3)} failed ${result.seconds.toFixed(1).padStart(7)} s\n`,
  );
  return result;
}

/** The closing lines, and the exit code of the run. What failed is named once more: often its end is all that is seen of a run. */
export function close(results: readonly StepResult[]): void {
  const sum = (of: (result: StepResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const failed = sum((result) => result.failed);
  for (const { name, failures } of results)
    for (const failure of failures) process.stdout.write(`FAILED ${name}: ${failure}\n`);
  process.stdout.write(
    // Since the process began: some steps run side by side.
    `in ${(performance.now() / 1000).toFixed(0)} s\n${sum((result) => result.passed)} passed, ${failed} failed\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

async function run(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
): Promise<{ code: number; output: string; seconds: number }> {
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...{ NO_COLOR: "1", FORCE_COLOR: undefined, TURBO_TELEMETRY_DISABLED: "1" },
      // The tests start the product hundreds of times, and a quarter of a start is the compiling of its bundle.
      NODE_COMPILE_CACHE: join(root, ".dev/compile-cache"),
    },
  });
  const chunks: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk.toString("utf8")));
  const code = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      chunks.push(error.message);
      resolve(1);
    });
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, output: chunks.join(""), seconds: (performance.now() - startedAt) / 1000 };
}
