import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { ChangeId, ChangeRecord } from "../../history/history.ts";
import {
  type AskedChanges,
  type ChangeDetails,
  type ChangedWorkload,
  type ChangeSummary,
  changeProgresses,
  type FoldedWorkload,
} from "./change-summary.ts";

/** Where a change was recorded, and who wrote it there. */
interface ChangeOrigin {
  /** Name of the cluster. */
  readonly cluster: string;
  readonly actors: readonly string[];
}

/** One change, as far as its records are known. Many are kept at the same time, so it is small. */
export class ChangeFold {
  readonly #first: ChangeRecord;
  /** By the change in one cluster. */
  readonly #origins = new Map<ChangeId, ChangeOrigin>();
  /** By cluster and workload; undefined: no workload so far. */
  #workloads: Map<string, FoldedWorkload> | undefined;
  /** Kept until the next record. */
  #summary: ChangeSummary | undefined;

  constructor(first: ChangeRecord) {
    this.#first = first;
  }

  get id(): string {
    return changeIdOf(this.#first);
  }

  /** The source that was written. */
  get source(): SourceRef {
    return this.#first.source;
  }

  /** The state of each workload, by cluster and workload. */
  get workloads(): ReadonlyMap<string, FoldedWorkload> {
    return this.#workloads ?? noWorkloads;
  }

  get summary(): ChangeSummary {
    this.#summary ??= this.#summarize();
    return this.#summary;
  }

  get details(): ChangeDetails {
    const workloads = [...this.workloads.values()]
      .toSorted(
        (a, b) =>
          changeProgresses.indexOf(a.progress) - changeProgresses.indexOf(b.progress) ||
          compareTexts(workloadPlace(a), workloadPlace(b)),
      )
      .map(({ sources: _, ...changed }): ChangedWorkload => changed);
    return { change: this.summary, workloads };
  }

  /** All its workloads count, even those that the question does not ask for. */
  isAskedFor({ change = "", name = "", namespace = "" }: AskedChanges): boolean {
    const { source } = this;
    if (change !== "" && change !== this.id && !this.#origins.has(change)) return false;
    if (namespace !== "" && namespace !== source.namespace) return false;
    if (name === "" || name === source.name) return true;
    return this.workloads.values().some(({ workload }) => workload.name === name);
  }

  /** Adds a record of the change from a cluster. It may be a repeated one that names the users. */
  addChange({ actor, change, cluster }: ChangeRecord): void {
    this.#summary = undefined;
    // Of several records, the one with more users says more.
    const texts = actor === undefined ? [] : actorTexts(actor);
    const before = this.#origins.get(change);
    if (before === undefined || (actor?.users !== undefined && texts.length >= before.actors.length))
      this.#origins.set(change, { cluster: cluster?.name ?? "", actors: texts });
  }

  /** Sets the new state of a workload. */
  putWorkload(key: string, changed: FoldedWorkload): void {
    this.#summary = undefined;
    this.#workloads ??= new Map();
    this.#workloads.set(key, changed);
  }

  #summarize(): ChangeSummary {
    const ended = { unchanged: 0, healthy: 0, discarded: 0, superseded: 0, gone: 0 };
    const counts = { ...ended, held: 0, rolling: 0, failed: 0, stalled: 0 };
    for (const { progress } of this.workloads.values()) counts[progress] += 1;
    const origins = [...this.#origins.values()];
    const clusters = [...new Set(origins.map(({ cluster }) => cluster))].sort();
    return {
      id: this.id,
      source: this.#first.source,
      time: this.#first.time,
      actors: [...new Set(origins.flatMap(({ actors }) => actors))].sort(),
      clusters,
      clusterCount: clusters.length,
      workloads: counts,
      isDone: counts.held + counts.rolling + counts.failed + counts.stalled === 0,
    };
  }
}

/** The fleet-wide id, or the id in its cluster for a record without one. */
export function changeIdOf({ change, fleetChange }: ChangeRecord): string {
  return fleetChange ?? change;
}

const noWorkloads: ReadonlyMap<string, FoldedWorkload> = new Map();

function workloadPlace({ cluster, workload }: ChangedWorkload): string {
  return `${cluster}|${workloadKey(workload)}`;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Users are named before the program. */
function actorTexts({ manager, users = [] }: NonNullable<ChangeRecord["actor"]>): readonly string[] {
  const names = users.map(({ impersonated, user }) =>
    impersonated === undefined ? user : `${user} as ${impersonated}`,
  );
  return names.length === 0 ? [manager] : names.map((name) => `${name} with ${manager}`);
}
