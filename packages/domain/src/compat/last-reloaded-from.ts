import { jsonField, jsonList, jsonText, parseJson } from "../json.ts";
import type { SourceRef } from "../source/source.ts";
import { compatKindName, parseCompatKindName } from "./kind-name.ts";

/** On the pod template: which source was reloaded last. Fixed in the peer (compat 3.3). */
export const lastReloadedFromAnnotation = "reloader.stakater.com/last-reloaded-from";

/** The fields of the annotation. Informational: it holds only the newest source. */
export interface LastReloadedFrom {
  readonly source: SourceRef;
  /** The peer's hash if the peer wrote it, our mark if we did. */
  readonly hash: string;
  readonly containerRefs: readonly string[];
  /** Unix time of the reload. Version 2 of the peer writes a text here, which is not read. */
  readonly observedAtSeconds?: number;
}

/** The annotation's text: compact, and with the fields in the order in which the peer writes them. */
export function formatLastReloadedFrom({
  source,
  hash,
  containerRefs,
  observedAtSeconds,
}: LastReloadedFrom): string {
  return JSON.stringify({
    type: compatKindName(source.kind),
    name: source.name,
    namespace: source.namespace,
    hash,
    containerRefs,
    observedAt: observedAtSeconds,
  });
}

/**
 * Reads what version 1 or 2 of the peer, or we, wrote: version 2 calls `type` `kind`, and `containerRefs` `containers`.
 * Further fields do not matter. `undefined` when the source or the hash cannot be read, or is of a kind we do not watch.
 */
export function parseLastReloadedFrom(text: string): LastReloadedFrom | undefined {
  // Anybody may write this annotation. A text that is not JSON is ignored.
  const value = parseJson(text);
  const kind = parseCompatKindName(jsonText(value, "type") ?? jsonText(value, "kind") ?? "");
  const namespace = jsonText(value, "namespace");
  const name = jsonText(value, "name");
  const hash = jsonText(value, "hash");
  if (kind === undefined || namespace === undefined || name === undefined || hash === undefined) {
    return undefined;
  }
  const containers = jsonField(value, "containerRefs") ?? jsonField(value, "containers");
  const observedAt = jsonField(value, "observedAt");
  return {
    source: { kind, namespace, name },
    hash,
    containerRefs: jsonList(containers).filter((item) => typeof item === "string"),
    ...(typeof observedAt === "number" ? { observedAtSeconds: observedAt } : {}),
  };
}
