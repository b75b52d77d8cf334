import { asFault } from "@fleet-reloader/domain/fault";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { Clock } from "@fleet-reloader/engine/clock";
import type { LiveWorkload } from "@fleet-reloader/engine/cluster-api";
import type { Stream } from "@fleet-reloader/engine/cluster-streams";
import type { Log } from "@fleet-reloader/engine/log";
import type { StreamHandler } from "@fleet-reloader/engine/source-stream";
import type { WorkloadResource, WorkloadResources } from "./workload-resources.ts";

export interface OptionalStreamOptions {
  readonly kind: WorkloadKind;
  readonly resources: WorkloadResources;
  readonly handler: StreamHandler<LiveWorkload>;
  /** The list + watch of the resource once it is known; it calls back when it finds that the resource is no more. */
  readonly reflect: (resource: WorkloadResource, onAbsent: () => void) => Stream;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two looks for a resource that is absent. */
  readonly absentMs?: number;
}

/** A resource that is installed while we run is served within a minute; the look is two small requests. */
const defaultAbsentMs = 60_000;
/** Between two looks when the API server does not answer. */
const retryMs = 5000;

/** A list + watch of a kind that the API server may not have: then it is looked for now and again, and said once. */
export function createOptionalStream(options: OptionalStreamOptions): Stream {
  const { kind, resources, handler, clock, log } = options;
  return {
    async run(signal) {
      let said = "";
      while (!signal.aborted) {
        let waitMs = options.absentMs ?? defaultAbsentMs;
        try {
          const looked = await resources.find(kind, signal);
          if ("plural" in looked) {
            const gone = new AbortController();
            await options.reflect(looked, () => gone.abort()).run(AbortSignal.any([signal, gone.signal]));
            resources.forget(kind);
            continue;
          }
          handler.stateChanged("absent", looked.absent);
          if (said !== looked.absent)
            log.info({ reason: "ResourceAbsent" }, `${looked.absent}; looked for again`);
          said = looked.absent;
        } catch (error) {
          if (signal.aborted) break;
          const fault = asFault(error);
          handler.stateChanged("backoff", fault.message);
          log.warn({ reason: fault.code, retryInMs: retryMs, err: fault.message }, "discovery failed");
          waitMs = Math.max(retryMs, fault.retryAfterMs ?? 0);
        }
        // Aborted while waiting: the loop sees the signal.
        await clock.sleep(waitMs, signal).catch(() => undefined);
      }
      handler.stateChanged("stopped", "stopped");
    },
  };
}
