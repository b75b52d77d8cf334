/** A resource of the API, without its version: audit events and clients may name different ones. */
export interface HintedResource {
  /** `""` for the core group. */
  readonly group: string;
  /** The plural, as in URLs. */
  readonly resource: string;
}

/** A report that an object may have changed. It may be wrong, late, repeated or forged. It causes one read. */
export interface Hint extends HintedResource {
  /** `""` for a namespace itself. */
  readonly namespace: string;
  /** `""` for any object of the resource in the namespace. */
  readonly name: string;
}

/** The key of the hint that anything may have changed. Hints beyond a limit are merged into it. */
export const anythingKey = "*";

/** `group/resource/namespace/name`. Different hints have different keys, since no part contains a slash. No key contains a line break. */
export function hintKey({ group, resource, namespace, name }: Hint): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

/** The inverse of `hintKey`; undefined for `anythingKey` and for any text that is not a key. */
export function readHintKey(key: string): Hint | undefined {
  const [group, resource, namespace, name, ...rest] = key.split("/");
  if (name === undefined || namespace === undefined || group === undefined || !resource || rest.length > 0)
    return undefined;
  return { group, resource, namespace, name };
}
