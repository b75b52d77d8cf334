import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import type { Stream } from "@fleet-reloader/engine/cluster-streams";
import type { SourceVersion } from "@fleet-reloader/engine/reference-index";
import type { StreamHandler, StreamState } from "@fleet-reloader/engine/source-stream";
import type { Connection } from "./connection.ts";
import { list, text } from "./json.ts";
import { type PodStatus, podStatusHandler } from "./pod-status.ts";

const groupVersion = "secrets-store.csi.x-k8s.io/v1";
const why = `this API server has no ${groupVersion}`;

/** How often is looked again for a driver that is not installed, and after failures whether it still is. */
const absentMs = 30_000;

/**
 * Whether the Secrets Store CSI driver's kinds are there. Asked is the discovery, which everybody may read: below a group that
 * does not exist there is no answer to rely on, and to those without a right to it not even a 404.
 */
async function isServed(connection: Connection, signal: AbortSignal): Promise<boolean> {
  const { body } = await connection.call({ method: "GET", path: "/apis" }, signal);
  if (text(body, "kind") !== "APIGroupList")
    throw new Fault("kube.malformed", "what was answered is no list of API groups");
  return list(body, "groups")
    .flatMap((group) => list(group, "versions"))
    .some((version) => text(version, "groupVersion") === groupVersion);
}

/** What was read; or, where there is no driver to read anything of, that. A failure that has another cause stays one. */
export async function unlessAbsent<T>(
  read: () => Promise<T>,
  absent: T,
  { connection, signal }: { readonly connection: Connection; readonly signal: AbortSignal },
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code } = asFault(error);
    if (code !== "kube.malformed" && code !== "kube.forbidden") throw error;
    if (await isServed(connection, signal)) throw error;
    return absent;
  }
}

export interface PodStatusStreamOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly handler: StreamHandler<SourceVersion>;
  readonly reflect: (handler: StreamHandler<PodStatus>) => Stream;
  readonly absentMs?: number;
}

/** Follows the driver's pod statuses while there is a driver. Without one there is nothing to see, and nothing wrong. */
export function createPodStatusStream(options: PodStatusStreamOptions): Stream {
  const { connection, clock, handler, reflect } = options;
  const waitMs = options.absentMs ?? absentMs;

  return {
    async run(signal) {
      while (!signal.aborted) {
        // No answer is not an absence: then the reflector tells what is wrong.
        if ((await ask(signal)) === false) {
          handler.stateChanged("absent", why);
          await wait(signal);
        } else await follow(signal);
      }
      handler.stateChanged("stopped", "stopped");
    },
  };

  /** Resolves at the end, or when the driver's kinds are gone. */
  async function follow(signal: AbortSignal): Promise<void> {
    let isInDoubt = false;
    const gone = new AbortController();
    const either = AbortSignal.any([signal, gone.signal]);
    const watched = observed(handler, (state) => {
      isInDoubt ||= state === "backoff" || state === "blocked";
    });
    const running = reflect(podStatusHandler(watched)).run(either);
    while (!either.aborted) {
      await wait(either);
      if (isInDoubt && (await ask(signal)) === false) gone.abort();
      isInDoubt = false;
    }
    await running;
  }

  async function ask(signal: AbortSignal): Promise<boolean | undefined> {
    return await isServed(connection, signal).catch(() => undefined);
  }

  /** Aborted while waiting: the loops see the signal. */
  async function wait(signal: AbortSignal): Promise<void> {
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

/** The stream goes on after its reflector, and tells itself when it has stopped. */
function observed(
  handler: StreamHandler<SourceVersion>,
  onState: (state: StreamState) => void,
): StreamHandler<SourceVersion> {
  return {
    listBegins: () => handler.listBegins(),
    page: (objects) => handler.page(objects),
    listed: () => handler.listed(),
    events: (events) => handler.events(events),
    stateChanged: (state, said) => {
      onState(state);
      if (state !== "stopped") handler.stateChanged(state, said);
    },
  };
}
