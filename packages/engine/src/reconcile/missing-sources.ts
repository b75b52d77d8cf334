import { annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { nearestName } from "@fleet-reloader/domain/nearest-name";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { SingleFlight } from "../async/single-flight.ts";
import { reportHead } from "../history/report-head.ts";
import type { ClusterApi } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Reporter } from "../ports/reporter.ts";
import type { Settings } from "../ports/settings.ts";
import type { Reading } from "./reading.ts";

export interface MissingReportOptions {
  readonly settings: Pick<Settings, "dialect">;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: nobody outside is told. */
  readonly reporter?: Reporter;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** Workloads of one namespace are noted together: one list of names does for all of them. */
const keptMs = 10_000;
/** Lists that are kept, of some ten thousand names at most. */
const keptMax = 16;

/** Tells of names in annotations that lead nowhere, which are often wrong names: once, when they are noted. Never rejects. */
export function createMissingReport(
  options: MissingReportOptions,
): (reading: Reading, observedSources: readonly ObservedSource[]) => Promise<void> {
  const { clock, log, reporter, settings } = options;
  const namesOf = createNames(options);

  return async (reading, observedSources) => {
    for (const { ref, mode, reference, live } of observedSources) {
      if (mode !== "named" || reference !== undefined || live !== undefined) continue;
      const { request, cluster } = reading;
      const nearest = nearestName(ref.name, await namesOf(cluster.api, ref));
      const annotation = settings.dialect.kinds[ref.kind].named;
      const value = annotationValue(reading.live.annotations, annotation) ?? "";
      const problem = `names the ${ref.kind} ${ref.name}, which does not exist and which the pod template does not reference`;
      const mend = `${nearest === undefined ? "" : `write ${nearest} if that is meant; `}make it, or take the name away`;
      log.warn(
        {
          ...{ cluster: cluster.name, workload: request.workload, source: ref },
          ...(nearest === undefined ? {} : { nearest }),
          reason: "NamedSourceMissing",
        },
        "an annotation names a source that does not exist and that the pod template does not reference",
      );
      reporter?.unreadable({
        ...{ ...reportHead(request, cluster, clock), uid: reading.live.uid, reason: "NamedSourceMissing" },
        problem: annotationProblem(annotation, value, problem, mend),
      });
    }
  };
}

/** Names of sources beside the missing one; none where they cannot be listed. */
function createNames({ clock, lifetime }: MissingReportOptions) {
  const shared = new SingleFlight<readonly string[]>();
  const kept = new Map<string, { readonly names: readonly string[]; readonly atMs: number }>();
  return async (api: ClusterApi, { kind, namespace }: SourceRef): Promise<readonly string[]> => {
    const key = `${api.cluster}/${kind}/${namespace}`;
    const known = kept.get(key);
    if (known !== undefined && clock.monotonic() - known.atMs < keptMs) return known.names;
    const names = await shared
      .read(key, () => api.listSourceNames(kind, namespace, lifetime))
      .catch(() => []);
    kept.delete(key);
    kept.set(key, { names, atMs: clock.monotonic() });
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    return names;
  };
}
