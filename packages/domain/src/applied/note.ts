import { managedFieldsOf } from "../evidence/managed-fields.ts";
import { fieldManager } from "../field-manager.ts";
import type { Keyring } from "../source/keyring.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";

/**
 * On the workload's own metadata, where it rolls nothing: what its pods carry of each source. One annotation per digest key,
 * named after it, so that two installs with different keys on one cluster never adopt away each other's changes. See
 * docs/adr/0002.
 */
const prefix = "fleet-reloader.io/carried-";

/** The annotation a note made with this key is in. */
export function noteAnnotation(keyId: string): string {
  return `${prefix}${keyId}`;
}

/** Whether the workload has a note at all, of whatever install. */
export function hasNote(annotations: Annotations): boolean {
  return Object.keys(annotations).some((key) => key.startsWith(prefix));
}

/**
 * Whether a note of ours stands on the workload as we wrote it. Who writes one anew, restores an old one or copies another's becomes its
 * owner; where the API server names no owner at all, it is taken for ours.
 */
export function hasOwnNote(workload: {
  readonly annotations: Annotations;
  readonly object: unknown;
}): boolean {
  return Object.keys(workload.annotations).some(
    (key) => key.startsWith(prefix) && isWrittenByUs(key, workload.object),
  );
}

/** Whether the note under this key of our own stands as we wrote it. */
export function isOwnNote(annotations: Annotations, object: unknown, keys: Keyring): boolean {
  const key = ourNoteKey(annotations, keys);
  return key !== undefined && isWrittenByUs(key, object);
}

function isWrittenByUs(key: string, object: unknown): boolean {
  const owners = managedFieldsOf(object).filter((entry) => entry.owns("metadata", "annotations", key));
  return owners.length === 0 || owners.some(({ manager }) => manager === fieldManager);
}

/** The notes on a workload, of whatever install. */
export function noteTexts(annotations: Annotations): readonly string[] {
  return Object.entries(annotations).flatMap(([key, text]) => (key.startsWith(prefix) ? [text] : []));
}

/** The text of our note: that of the current key, or of an older one that we still hold. */
export function ourNote(annotations: Annotations, keys: Keyring): string | undefined {
  const key = ourNoteKey(annotations, keys);
  return key === undefined ? undefined : annotationValue(annotations, key);
}

function ourNoteKey(annotations: Annotations, keys: Keyring): string | undefined {
  const current = noteAnnotation(keys.current.keyId);
  return annotationValue(annotations, current) === undefined ? olderNotes(annotations, keys)[0] : current;
}

/** The patch of annotations that leaves exactly this note of ours (none when undefined), and others' alone. */
export function notePatch(
  annotations: Annotations,
  keys: Keyring,
  text: string | undefined,
): Readonly<Record<string, string | null>> {
  const removed = olderNotes(annotations, keys).map((key) => [key, null] as const);
  return Object.fromEntries([...removed, [noteAnnotation(keys.current.keyId), text ?? null]]);
}

function olderNotes(annotations: Annotations, keys: Keyring): readonly string[] {
  return Object.keys(annotations).filter((key) => {
    if (!key.startsWith(prefix)) return false;
    const keyId = key.slice(prefix.length);
    return keyId !== keys.current.keyId && keys.find(keyId) !== undefined;
  });
}
