import type { Fault } from "@fleet-reloader/domain/fault";

/** sysexits.h EX_CONFIG: our own configuration is wrong, or how we were called; trying again would not help. */
const wrongConfig = 78;

/** sysexits.h EX_SOFTWARE: something in this process broke that must not; a new process may do better. */
export const brokenInside = 70;

/** With what a process ends that could not do what it was asked for. */
export function exitCodeOf(fault: Fault): number {
  return fault.class === "misconfigured" ? wrongConfig : 1;
}
