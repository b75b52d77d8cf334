import { ownersOf } from "../evidence/managed-fields.ts";
import { fieldManager } from "../field-manager.ts";
import type { Keyring } from "../source/keyring.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";

/**
 * The applied state is an annotation in the metadata of the workload itself, so writing it rolls nothing. Each digest key has its own annotation,
 * named after the key: two installs with different keys on one cluster do not hide changes from each other. See docs/adr/0002.
 */
const prefix = "fleet-reloader.io/carried-";

/** The annotation that holds an applied state made with this key. */
export function appliedAnnotation(keyId: string): string {
  return `${prefix}${keyId}`;
}

/** Whether the workload has an applied state of any install. */
export function hasAppliedState(annotations: Annotations): boolean {
  return Object.keys(annotations).some((key) => key.startsWith(prefix));
}

/**
 * Whether an applied state on the workload is as we wrote it. A manager that rewrites it, restores an old one or copies another becomes its owner.
 * If the API server names no owner, the state counts as ours.
 */
export function hasOwnAppliedState(workload: {
  readonly annotations: Annotations;
  readonly object: unknown;
}): boolean {
  return Object.keys(workload.annotations).some(
    (key) => key.startsWith(prefix) && isWrittenByUs(key, workload.object),
  );
}

/** Whether the applied state under one of our keys is as we wrote it. */
export function isOwnAppliedState(annotations: Annotations, object: unknown, keys: Keyring): boolean {
  const key = ourAppliedKey(annotations, keys);
  return key !== undefined && isWrittenByUs(key, object);
}

function isWrittenByUs(key: string, object: unknown): boolean {
  const owners = ownersOf(object, "metadata", "annotations", key);
  return owners.length === 0 || owners.includes(fieldManager);
}

/** The applied states of all installs on a workload. */
export function appliedTexts(annotations: Annotations): readonly string[] {
  return Object.entries(annotations).flatMap(([key, text]) => (key.startsWith(prefix) ? [text] : []));
}

/** The text of our applied state: made with the current key, or with an older key that we still hold. */
export function ourAppliedText(annotations: Annotations, keys: Keyring): string | undefined {
  const key = ourAppliedKey(annotations, keys);
  return key === undefined ? undefined : annotationValue(annotations, key);
}

function ourAppliedKey(annotations: Annotations, keys: Keyring): string | undefined {
  const current = appliedAnnotation(keys.current.keyId);
  return annotationValue(annotations, current) === undefined
    ? olderAppliedKeys(annotations, keys)[0]
    : current;
}

/** The annotation patch that leaves this text as our only applied state (undefined: none). It does not touch those of other installs. */
export function appliedPatch(
  annotations: Annotations,
  keys: Keyring,
  text: string | undefined,
): Readonly<Record<string, string | null>> {
  const removed = olderAppliedKeys(annotations, keys).map((key) => [key, null] as const);
  return Object.fromEntries([...removed, [appliedAnnotation(keys.current.keyId), text ?? null]]);
}

function olderAppliedKeys(annotations: Annotations, keys: Keyring): readonly string[] {
  return Object.keys(annotations).filter((key) => {
    if (!key.startsWith(prefix)) return false;
    const keyId = key.slice(prefix.length);
    return keyId !== keys.current.keyId && keys.find(keyId) !== undefined;
  });
}
