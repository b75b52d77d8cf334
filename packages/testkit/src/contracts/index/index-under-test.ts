import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type {
  Checkpoints,
  IndexEntry,
  IndexSession,
  ReferenceIndex,
  SourceVersion,
} from "@fleet-reloader/engine/ports/reference-index";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import type { WorkloadRecords } from "@fleet-reloader/engine/ports/workload-records";

export interface IndexUnderTest extends AsyncDisposable {
  readonly index: ReferenceIndex & Checkpoints & IndexSession;
  /** What workers remember of workloads, in the same memory; the index is that of `cluster`. */
  readonly cluster: ClusterId;
  readonly records: WorkloadRecords;
  /** All that was stored is gone. */
  readonly lose: () => Promise<void>;
}

/** The same for whoever asks for many. */
export const namesForTest = {
  of: async (items: readonly string[], names: Iterable<string>) =>
    new Map(
      [...names].flatMap((name): [string, readonly string[]][] => {
        const matching = items.filter((item) => matchesForTest(item, name));
        return matching.length === 0 ? [] : [[name, matching]];
      }),
    ),
};

/** An item matches a name as an expression between `^` and `$` does. */
export function matchesForTest(item: string, name: string): boolean {
  return new RegExp(`^${item}$`).test(name);
}

export function workloadNamed(name: string, kind = "Deployment", namespace = "ns"): WorkloadRef {
  return { kind, namespace, name };
}

export function entryOf(name: string, entry: Partial<Omit<IndexEntry, "workload">> = {}): IndexEntry {
  return { workload: workloadNamed(name), sources: [], patterns: [], scope: "", window: {}, ...entry };
}

export function requestOf({ cluster }: IndexUnderTest, name: string): Request {
  return { cluster, workload: workloadNamed(name) };
}

export function versionOf(
  name: string,
  resourceVersion = "1",
  kind: SourceKind = "ConfigMap",
): SourceVersion {
  return { ref: { kind, namespace: "ns", name }, resourceVersion };
}

export function namesOf(entries: readonly IndexEntry[]): readonly string[] {
  return entries.map((entry) => entry.workload.name);
}

/** Of each source that changed its name and the names of the workloads that use it. */
export async function dependentsOf(
  index: ReferenceIndex,
  ...sources: readonly SourceVersion[]
): Promise<readonly (readonly [string, readonly string[]])[]> {
  return (await index.findChanged(sources)).map(({ source, dependents }) => [
    source.ref.name,
    dependents.map(({ workload }) => workload.name).sort(),
  ]);
}
