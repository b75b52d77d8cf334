import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { StateListener } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ApiResource, ApiResources, Lookup, ResourceKind } from "../discovery/api-resources.ts";

export interface OptionalStreamOptions {
  readonly kind: ResourceKind;
  readonly resources: Pick<ApiResources, "find" | "forget">;
  /** The list + watch of the resource, once it is known. */
  readonly reflect: (resource: ApiResource) => Stream;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two discoveries of a resource that is absent. */
  readonly absentMs?: number | undefined;
}

/** A resource that is installed while we run is served within a minute; a discovery is two small requests. */
const defaultAbsentMs = 60_000;
/** Between two discoveries when the API server does not answer. */
const lookupRetryMs = 5000;

/**
 * A list + watch of a kind that the API server may not have. While it is absent, discovery looks for it now and again; its
 * absence is logged once. Whenever the list + watch fails, discovery is asked again: what a failure says (404, 403, no JSON
 * at all) depends on rights and on other resources.
 */
export class OptionalStream implements Stream {
  readonly #options: OptionalStreamOptions;
  /** The absence that was logged last; empty while the resource exists. */
  #logged = "";
  /** The fault of the last discovery, by code; empty: it succeeded. */
  #failed = "";

  constructor(options: OptionalStreamOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal, onState: StateListener): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#attempt(signal, onState);
      // Aborted while waiting: the loop sees the signal.
      if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal).catch(() => undefined);
    }
    onState("stopped", "stopped");
  }

  /** Follows the resource if it exists. Returns the wait until the next attempt. */
  async #attempt(signal: AbortSignal, onState: StateListener): Promise<number> {
    const { kind, resources, log, absentMs = defaultAbsentMs } = this.#options;
    try {
      const found = await resources.find(kind, signal);
      this.#failed = "";
      if ("plural" in found) {
        await this.#follow(found, signal, onState);
        this.#logged = "";
        return 0;
      }
      onState("absent", found.absent);
      this.#logAbsence(found.absent);
      return absentMs;
    } catch (error) {
      if (signal.aborted) return 0;
      const fault = asFault(error);
      onState("backoff", fault.message);
      // A discovery that fails the same way for hours is one warning.
      const level = this.#failed === fault.code ? "debug" : "warn";
      this.#failed = fault.code;
      log[level]({ reason: fault.code, retryInMs: lookupRetryMs, err: fault.message }, "discovery failed");
      return Math.max(lookupRetryMs, fault.retryAfterMs ?? 0);
    }
  }

  #logAbsence(absent: string): void {
    if (this.#logged !== absent)
      this.#options.log.info({ reason: "ResourceAbsent" }, `${absent}; looked for again`);
    this.#logged = absent;
  }

  /** Resolves at the end, when the resource is gone, or when it exists in another version than the followed one. */
  async #follow(resource: ApiResource, signal: AbortSignal, onState: StateListener): Promise<void> {
    const { kind, resources, reflect } = this.#options;
    using followed = linkedAbort(signal);
    const ask = async (): Promise<void> => {
      resources.forget(kind);
      // A failed discovery is not an absence.
      const found = await resources.find(kind, signal).catch(() => undefined);
      if (found !== undefined && !isSameResource(found, resource)) followed.abort();
    };
    let asking: Promise<void> | undefined;
    await reflect(resource).run(followed.signal, (state, why) => {
      if (state === "backoff" || state === "blocked")
        asking ??= ask().finally(() => {
          asking = undefined;
        });
      // This stream outlives its reflector and reports its own end.
      if (state !== "stopped") onState(state, why);
    });
    await asking;
  }
}

function isSameResource(found: Lookup, { version, plural }: ApiResource): boolean {
  return "plural" in found && found.version === version && found.plural === plural;
}
