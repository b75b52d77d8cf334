import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { NameMatches } from "../observe/name-matches.ts";
import type { ManagedWorkload } from "../overview/fleet-overview.ts";
import { usedSources } from "../overview/used-sources.ts";

/** Whether an entry of the reference index uses the source, also by a pattern. */
export async function usesSource(
  workload: ManagedWorkload,
  source: Pick<SourceRef, "kind" | "name">,
  names: NameMatches,
): Promise<boolean> {
  if (usedSources(workload).some(({ kind, name }) => kind === source.kind && name === source.name))
    return true;
  const items = workload.patterns.flatMap(([kind, item]) => (kind === source.kind ? [item] : []));
  return await names.isMatched(items, source.name);
}
