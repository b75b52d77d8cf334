import { annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import { SingleFlight } from "../async/single-flight.ts";
import type { MissingNameFact } from "../history/fact.ts";
import type { ClusterApi } from "../ports/cluster-api.ts";
import type { Settings } from "../ports/settings.ts";
import type { Reading } from "./reading.ts";

export interface MissingSourcesOptions {
  readonly settings: Pick<Settings, "dialect">;
  readonly clock: Clock;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** The workloads of one namespace are often recorded together: one list of names serves all of them. */
const reportKeptMs = 10_000;
/** Lists that are kept, of some ten thousand names at most. */
const keptMax = 16;

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

  async find(
    { cluster, live: workload }: Pick<Reading, "cluster" | "live">,
    observedSources: readonly ObservedSource[],
  ): Promise<readonly MissingNameFact[]> {
    const facts: MissingNameFact[] = [];
    for (const { ref, mode, reference, live } of observedSources) {
      if (mode !== "named" || reference !== undefined || live !== undefined) continue;
      const nearest = likelyName(ref.name, await this.#namesBeside(cluster.api, ref));
      const annotation = this.#options.settings.dialect.kinds[ref.kind].named;
      const value = annotationValue(workload.annotations, annotation) ?? "";
      const problem = `names the ${ref.kind} ${ref.name}, which does not exist and which the pod template does not reference`;
      const mend = `${nearest === undefined ? "" : `write ${nearest} if that is meant; `}create it, or remove the name`;
      facts.push({
        type: "name-missing",
        uid: workload.uid,
        source: ref,
        nearest,
        problem: annotationProblem(annotation, value, problem, mend),
      });
    }
    return facts;
  }

  /** The names of the sources of its kind and namespace; none if they cannot be listed. */
  async #namesBeside(api: ClusterApi, { kind, namespace }: SourceRef): Promise<readonly string[]> {
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
