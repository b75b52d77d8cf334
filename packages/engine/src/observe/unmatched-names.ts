import { isPlainName } from "@fleet-reloader/domain/annotation/name-list";
import { findingsMax } from "@fleet-reloader/domain/lint/named-sources";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import type { ClusterApi } from "../ports/cluster-api.ts";
import type { Interest } from "./interest.ts";
import type { NameMatches } from "./name-matches.ts";

/** A name in an annotation that no source has. */
export interface UnmatchedName {
  readonly ref: SourceRef;
  /** The existing name that was probably meant. */
  readonly nearest: string | undefined;
}

export interface UnmatchedQuestion {
  readonly api: Pick<ClusterApi, "readSource">;
  readonly namespace: string;
  readonly interest: Interest;
  /** Asked for the names of all sources of a kind only if an annotation has such a name. */
  readonly listed: (kind: SourceKind) => Promise<readonly string[]>;
  readonly names: NameMatches;
  readonly signal: AbortSignal;
}

/**
 * Finds names with a dot, an underscore or a capital that match no source and no reference. They are parsed as patterns, and are often
 * misspelt. At most `findingsMax` of a kind.
 */
export async function unmatchedNames(asked: UnmatchedQuestion): Promise<readonly UnmatchedName[]> {
  const { api, interest, namespace, signal } = asked;
  const found: UnmatchedName[] = [];
  for (const kind of interest.patternKinds) {
    const { patterns } = interest.optIn.kinds[kind].named;
    if (!patterns.some(({ text }) => isPlainName(text))) continue;
    const listed = await asked.listed(kind);
    for (const name of (await unmatchedOf(asked, kind, listed)).slice(0, findingsMax)) {
      const ref = { kind, namespace, name };
      // The list has only served sources. This one may exist all the same.
      const isMissing = (await api.readSource(ref, signal)) === undefined;
      if (isMissing) found.push({ ref, nearest: likelyName(name, listed) });
    }
  }
  return found;
}

async function unmatchedOf(
  { interest, names }: UnmatchedQuestion,
  kind: SourceKind,
  listed: readonly string[],
): Promise<readonly string[]> {
  const { excluded, named } = interest.optIn.kinds[kind];
  const items = named.patterns.map(({ text }) => text);
  const references = [...interest.references.values()].map(({ source }) => source);
  const used = references.filter((source) => source.kind === kind).map(({ name }) => name);
  const matched = new Set([...(await names.of(items, [...listed, ...used])).values()].flat());
  const plain = new Set(items.filter((item) => isPlainName(item)));
  return [...plain].filter((item) => !matched.has(item) && !excluded.has(item));
}
