import type { Reporter } from "@fleet-reloader/engine/ports/reporter";

/** Takes every report and does nothing, but for what the test listens to. */
export function silentReporter(listening: Partial<Reporter>): Reporter {
  const nothing = () => undefined;
  return {
    rolled: nothing,
    failed: nothing,
    ended: nothing,
    unreadable: nothing,
    held: nothing,
    ...listening,
  };
}
