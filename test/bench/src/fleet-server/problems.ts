import type { FleetChanges } from "./methods.ts";

/** What is wrong with what came of changes in a fleet, one line each. */
export function problemsOf({ missed, spurious }: FleetChanges): readonly string[] {
  return [
    ...missed.map((name) => `missed: ${name} was changed and not rolled`),
    ...spurious.map((name) => `spurious: ${name} was rolled without a change`),
  ];
}
