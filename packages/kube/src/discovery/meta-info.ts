import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Connection } from "../http/connection.ts";
import { resourcePath } from "../resource.ts";

/** Name and label by which the peer's tools find what an installation says of itself (compat 4.5). */
const metaInfoName = "reloader-meta-info";
const labels = { "reloader.stakater.com/meta-info": "reloader" } as const;

const metaInfoMaps = { group: "", version: "v1", plural: "configmaps" } as const;
const publishAttemptsMax = 3;
const publishPauseMs = 1000;

/**
 * Writes what this installation says of itself, made new or put over what is there. Meant to run in the background: a
 * failure is a warning and nothing else.
 */
export async function publishMetaInfo(options: {
  readonly connection: Connection;
  readonly namespace: string;
  /** Key → JSON. */
  readonly content: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { clock, log, namespace, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeMetaInfo(options);
      return;
    } catch (error) {
      const fault = asFault(error);
      if (signal.aborted) return;
      if (attempt < publishAttemptsMax && fault.class !== "denied") {
        await clock.sleep(publishPauseMs * attempt, signal).catch(() => undefined);
        continue;
      }
      log.warn(
        { reason: fault.code, err: fault.message },
        `ConfigMap ${namespace}/${metaInfoName} could not be written; nothing depends on it here`,
      );
      return;
    }
  }
}

async function writeMetaInfo({
  connection,
  namespace,
  content,
  signal,
}: Parameters<typeof publishMetaInfo>[0]) {
  const metadata = { name: metaInfoName, namespace, labels };
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: content });
  const query = `?fieldManager=${fieldManager}`;
  const contentType = "application/json";
  const over = `${resourcePath(metaInfoMaps, namespace, metaInfoName)}${query}`;
  const replaced = await connection.call({ method: "PUT", path: over, contentType, body }, signal);
  if (replaced.status !== 404) return;
  const anew = `${resourcePath(metaInfoMaps, namespace)}${query}`;
  const made = await connection.call({ method: "POST", path: anew, contentType, body }, signal);
  if (made.status === 404) throw new Fault("kube.rejected", `there is no namespace ${namespace}`);
}
