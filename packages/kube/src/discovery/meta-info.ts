import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { jsonCall, writePath } from "../http/call.ts";
import { createObject } from "../http/collection-calls.ts";
import type { Connection } from "../http/connection.ts";
import { resourcePath } from "../resource.ts";

/** Name and label by which the peer's tools find the self-description of an installation (compat 4.5). */
const metaInfoName = "reloader-meta-info";
const labels = { "reloader.stakater.com/meta-info": "reloader" } as const;

const metaInfoMaps = { group: "", version: "v1", plural: "configmaps" } as const;
const publishAttemptsMax = 3;
const publishPauseMs = 1000;

export interface PublishedMetaInfo {
  readonly connection: Connection;
  readonly namespace: string;
  /** Key → JSON. */
  readonly content: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Writes the ConfigMap by which this installation describes itself: replaces it, or creates it. It may run in the background, since a
 * failure is only a warning.
 */
export async function publishMetaInfo(options: PublishedMetaInfo): Promise<void> {
  const { clock, log, namespace, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeMetaInfo(options);
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

async function writeMetaInfo({ connection, namespace, content, signal }: PublishedMetaInfo): Promise<void> {
  const metadata = { name: metaInfoName, namespace, labels };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: content };
  const path = writePath(resourcePath(metaInfoMaps, namespace, metaInfoName));
  const replaced = await connection.call(jsonCall("PUT", path, configMap), signal);
  if (replaced.status !== 404) return;
  await createObject(connection, resourcePath(metaInfoMaps, namespace), configMap, signal);
}
