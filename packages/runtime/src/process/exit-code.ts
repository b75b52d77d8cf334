import type { Fault } from "@fleet-reloader/domain/fault";

/** sysexits.h EX_CONFIG: the configuration or the command line is wrong; a retry would not help. */
const wrongConfig = 78;

/** sysexits.h EX_SOFTWARE: an internal failure of this process; a new process may succeed. */
export const brokenInside = 70;

/** The exit code of a process that could not do its task. */
export function exitCodeOf(fault: Fault): number {
  return fault.class === "misconfigured" ? wrongConfig : 1;
}
