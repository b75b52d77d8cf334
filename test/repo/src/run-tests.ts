import process from "node:process";
import { checkSteps } from "./checks.ts";
import { close, commandStep, type StepResult, vitestStep } from "./step.ts";

const [flag, ...rest] = process.argv.slice(2);
if ((flag !== undefined && flag !== "--real") || rest.length > 0) {
  process.stderr.write(
    `test: ${[flag, ...rest].join(" ")}: not understood; write ./dev test, or ./dev test --real\n`,
  );
  process.exit(2);
}

const results: StepResult[] = [];
if (flag === "--real") {
  // Built once from the Go modules and cached; minutes on a machine that has never done it.
  results.push(await commandStep("control plane", ["node", "test/control-plane/src/main.ts", "build"]));
  results.push(await vitestStep("conformance on the real one", { cwd: "test/conformance", args: ["real"] }));
  const applied = "src/real-carried.test.ts";
  const keda = "src/real-keda.test.ts";
  const others = ["real", ...[applied, keda].map((file) => `--exclude=${file}`)];
  results.push(await vitestStep("end to end on the real one", { cwd: "test/e2e", args: others }));
  // By itself, and few at once: its many workloads keep the controllers busy that count what is rolled.
  const alone = [applied, "--maxConcurrency=4"];
  results.push(await vitestStep("what pods carry, on the real one", { cwd: "test/e2e", args: alone }));
  // As the control plane; what is on PATH is taken instead.
  results.push(await commandStep("helm and its like", ["node", "test/chart/src/build-tools.ts"]));
  results.push(await vitestStep("chart on the real one", { cwd: "test/chart", args: ["real"] }));
  results.push(await commandStep("KEDA", ["node", "test/keda/src/build-tools.ts"]));
  // By itself: it says how soon a worker is up.
  results.push(await vitestStep("workers by the real KEDA", { cwd: "test/e2e", args: [keda] }));
  results.push(await commandStep("promtool and Prometheus", ["node", "test/signals/src/build-tools.ts"]));
  results.push(await vitestStep("alerts and dashboard", { cwd: "test/signals", args: ["real"] }));
} else {
  // The demo makes its changes at a person's pace, which many products beside it would change. Checks and unit tests are none.
  const demo = commandStep("demo", ["node", "test/demo/src/main.ts", "--once"]);
  results.push(...(await checkSteps()));
  const costly = "src/simulated-costly.test.ts";
  const timed = ["budget", "promptness"].map((name) => `src/simulated-${name}.test.ts`);
  const untimed = ["simulated", ...[costly, ...timed].map((file) => `--exclude=${file}`)];
  // Two rows that take about as long, and the page in a third one as soon as the products of the second have ended. In all, tests wait now and
  // then, for quiet and for nothing to happen.
  const units = vitestStep("unit, property, contract", { cwd: "." });
  results.push(await demo);
  const endToEnd = vitestStep("end to end, simulated", { cwd: "test/e2e", args: untimed });
  const page = endToEnd.then(() => vitestStep("the page in Chromium", { cwd: "test/page" }));
  const small = endToEnd.then(() =>
    inTurn([
      () => vitestStep("conformance, simulated", { cwd: "test/conformance", args: ["simulated"] }),
      () => vitestStep("image and manifests", { cwd: "test/chart", args: ["simulated"] }),
    ]),
  );
  results.push(await units, await endToEnd, await page, ...(await small));
  // Both measure times, and mostly wait: beside each other, and nothing else. What makes all the work that one tenant can is by itself.
  results.push(await vitestStep("times, simulated", { cwd: "test/e2e", args: timed }));
  results.push(await vitestStep("a costly tenant, simulated", { cwd: "test/e2e", args: [costly] }));
}
close(results);

/** Each begins when the one before has ended. */
async function inTurn(steps: readonly (() => Promise<StepResult>)[]): Promise<readonly StepResult[]> {
  const ended: StepResult[] = [];
  for (const step of steps) ended.push(await step());
  return ended;
}
