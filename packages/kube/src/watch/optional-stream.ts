import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ApiResource, ApiResources, Lookup, ResourceKind } from "../discovery/api-resources.ts";

export interface OptionalStreamOptions<T> {
  readonly kind: ResourceKind;
  readonly resources: Pick<ApiResources, "find" | "forget">;
  readonly handler: StreamHandler<T>;
  /** The list + watch of the resource, once it is known. */
  readonly reflect: (resource: ApiResource, handler: StreamHandler<T>) => Stream;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two looks for a resource that is absent. */
  readonly absentMs?: number;
}

/** A resource that is installed while we run is served within a minute; the look is two small requests. */
const defaultAbsentMs = 60_000;
/** Between two looks when the API server does not answer. */
const retryMs = 5000;

/**
 * A list + watch of a kind that the API server may not have: then it is looked for now and again, and said once. Whenever the
 * list + watch fails it may be gone: what a failure says (404, 403, no JSON at all) depends on rights and on what else there is.
 */
export function createOptionalStream<T>(options: OptionalStreamOptions<T>): Stream {
  const { kind, resources, handler, clock, log } = options;
  return {
    async run(signal) {
      let said = "";
      while (!signal.aborted) {
        let waitMs = options.absentMs ?? defaultAbsentMs;
        try {
          const found = await resources.find(kind, signal);
          if ("plural" in found) {
            await follow(found, signal);
            // When it is absent again, that is news.
            said = "";
            continue;
          }
          handler.stateChanged("absent", found.absent);
          if (said !== found.absent)
            log.info({ reason: "ResourceAbsent" }, `${found.absent}; looked for again`);
          said = found.absent;
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

  /** Resolves at the end, or when the resource is gone, or is there in another version than the one that is followed. */
  async function follow(resource: ApiResource, signal: AbortSignal): Promise<void> {
    using followed = linkedAbort(signal);
    let asking: Promise<void> | undefined;
    const inDoubt = (): void => {
      asking ??= ask().finally(() => {
        asking = undefined;
      });
    };
    const ask = async (): Promise<void> => {
      resources.forget(kind);
      // No answer is not an absence.
      const found = await resources.find(kind, signal).catch(() => undefined);
      if (found !== undefined && !isSame(found, resource)) followed.abort();
    };
    const watched = observed(handler, inDoubt);
    await options.reflect(resource, watched).run(followed.signal);
    await asking;
  }
}

function isSame(found: Lookup, { version, plural }: ApiResource): boolean {
  return "plural" in found && found.version === version && found.plural === plural;
}

/** The stream outlives its reflector, and tells itself when it has stopped. */
function observed<T>(handler: StreamHandler<T>, onFailure: () => void): StreamHandler<T> {
  return {
    listBegins: () => handler.listBegins(),
    page: (objects) => handler.page(objects),
    listed: () => handler.listed(),
    events: (events) => handler.events(events),
    stateChanged(state, why) {
      if (state === "backoff" || state === "blocked") onFailure();
      if (state !== "stopped") handler.stateChanged(state, why);
    },
  };
}
