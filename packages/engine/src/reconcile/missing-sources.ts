import { annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import { SingleFlight } from "../async/single-flight.ts";
import type { MissingNameFact } from "../history/fact.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { type UnmatchedName, unmatchedNames } from "../observe/unmatched-names.ts";
import type { ClusterApi } from "../ports/cluster-api.ts";
import { namingAnnotation, type Reading } from "./reading.ts";

export interface MissingSourcesOptions {
  readonly names: NameMatches;
  readonly clock: Clock;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** The workloads of one namespace are often recorded together: one list of names serves all of them. */
const reportKeptMs = 10_000;
/** Lists that are kept, of some ten thousand names at most. */
const keptMax = 16;

/** A workload, and what its annotations name. */
type NamedReading = Pick<Reading, "cluster" | "interest" | "live">;

/** Finds names in annotations that belong to no source. They are often misspelt. Never rejects. */
export class MissingSources {
  readonly #options: MissingSourcesOptions;
  readonly #shared = new SingleFlight<readonly string[]>();
  readonly #kept = new RecentMap<string, { readonly names: readonly string[]; readonly atMs: number }>(
    keptMax,
  );

  constructor(options: MissingSourcesOptions) {
    this.#options = options;
  }

  /** Names that are looked up as they are. They are found with an observation. */
  async find(
    reading: NamedReading,
    observedSources: readonly ObservedSource[],
  ): Promise<readonly MissingNameFact[]> {
    const facts: MissingNameFact[] = [];
    for (const { ref, mode, reference, live } of observedSources) {
      if (mode !== "named" || reference !== undefined || live !== undefined) continue;
      const nearest = likelyName(ref.name, await this.#namesBeside(reading.cluster.api, ref));
      facts.push(missingName(reading, { ref, nearest }));
    }
    return facts;
  }

  /** Names that are parsed as patterns, as those with a dot. No observation and no applied state shows that they match nothing. */
  async findUnmatched(reading: Pick<Reading, "kind"> & NamedReading): Promise<readonly MissingNameFact[]> {
    const { cluster, interest, kind: workloadKind, live } = reading;
    // No source counts for it: it is left to the object that controls it.
    if (workloadKind.eligibility?.(live.object) === "owned") return [];
    const { api } = cluster;
    const { namespace } = live.ref;
    const { lifetime, names } = this.#options;
    const listed = (kind: SourceKind) => this.#namesBeside(api, { kind, namespace });
    const asked = { api, namespace, interest, listed, names, signal: lifetime };
    const found = await unmatchedNames(asked).catch(() => []);
    return found.map((unmatched) => missingName(reading, unmatched));
  }

  /** The names of the sources of its kind and namespace; none if they cannot be listed. */
  async #namesBeside(
    api: ClusterApi,
    { kind, namespace }: Pick<SourceRef, "kind" | "namespace">,
  ): Promise<readonly string[]> {
    const { clock, lifetime } = this.#options;
    const key = `${api.cluster}/${kind}/${namespace}`;
    const known = this.#kept.get(key);
    if (known !== undefined && clock.monotonic() - known.atMs < reportKeptMs) return known.names;
    const names = await this.#shared
      .read(key, () => api.listSourceNames(kind, namespace, lifetime))
      .catch(() => []);
    this.#kept.set(key, { names, atMs: clock.monotonic() });
    return names;
  }
}

function missingName(reading: NamedReading, { ref, nearest }: UnmatchedName): MissingNameFact {
  const { annotation, value } = namingAnnotation(reading, ref.kind);
  const problem = `names the ${ref.kind} ${ref.name}, which does not exist and which the pod template does not reference`;
  const mend = `${nearest === undefined ? "" : `write ${nearest} if that is meant; `}create it, or remove the name`;
  return {
    type: "name-missing",
    uid: reading.live.uid,
    source: ref,
    nearest,
    problem: annotationProblem(annotation, value, problem, mend),
  };
}
