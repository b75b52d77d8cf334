import type { Access, Registration } from "./registration.ts";

/** Whether both have the same name, labels, address and credentials, or the same reason. */
export function isSameRegistration(one: Registration, other: Registration): boolean {
  return registrationTextOf(one) === registrationTextOf(other);
}

/** Whether both give the same access. */
export function isSameAccess(one: Access, other: Access): boolean {
  return JSON.stringify(comparableAccess(one)) === JSON.stringify(comparableAccess(other));
}

function registrationTextOf({ id, name, labels, access }: Registration): string {
  const inOrder = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, name, inOrder, comparableAccess(access)]);
}

function comparableAccess(access: Access): readonly unknown[] {
  return access.type === "usable"
    ? [access.type, access.version, access.namespaces]
    : [access.type, access.why];
}
