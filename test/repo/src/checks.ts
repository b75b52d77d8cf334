import { commandStep, type StepResult } from "./step.ts";

/** Types, format and lint, dependency direction, unused code: independent of each other, so turbo runs them at once. */
export async function checkSteps(): Promise<readonly StepResult[]> {
  const tasks = ["check:types", "check:lint", "check:boundaries", "check:unused"];
  const step = await commandStep("types, lint, boundaries, unused", [
    "turbo",
    "run",
    ...tasks,
    "--output-logs=errors-only",
  ]);
  return [step];
}
