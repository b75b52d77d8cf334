import type { Keyring } from "../keyring.ts";
import { type Annotations, annotationValue } from "../workload.ts";

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

/** The text of our note: that of the current key, or of an older one that we still hold. */
export function ourNote(annotations: Annotations, keys: Keyring): string | undefined {
  const current = annotationValue(annotations, noteAnnotation(keys.current.keyId));
  const [older] = olderNotes(annotations, keys);
  return current ?? (older === undefined ? undefined : annotationValue(annotations, older));
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
