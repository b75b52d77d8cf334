import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { ReferenceIndex } from "@fleet-reloader/engine/ports/reference-index";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { publishingIndex } from "@fleet-reloader/engine/watch/publishing-index";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { notifyUpdates } from "@fleet-reloader/notify/notify-updates";
import { createReceiver } from "@fleet-reloader/notify/post";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisPublishedSources } from "@fleet-reloader/redis/index/redis-published-sources";
import { userAgent } from "@fleet-reloader/runtime/process/version";

/** The mode of `--webhook-url`: each change of a source is sent to an address, and nothing is rolled. */
export interface WebhookMode {
  /** The index that a watcher uses instead: its query sends. */
  over(index: ReferenceIndex, life: WebhookLife): ReferenceIndex;
  stop(): Promise<void>;
}

interface WebhookLife {
  readonly engaged: Engaged;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly signal: AbortSignal;
}

export interface WebhookModeOptions {
  readonly url: URL | undefined;
  readonly keyring: () => Promise<Keyring>;
  readonly settings: Pick<Settings, "reloadOnCreate" | "reloadOnDelete">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

/** What is not sent by then is dropped. */
const graceMs = 2000;

/** Undefined when no address is given: then changes roll workloads. */
export async function createWebhookMode({
  url,
  keyring,
  settings,
  clock,
  random,
  log,
  meter,
}: WebhookModeOptions): Promise<WebhookMode | undefined> {
  if (url === undefined) return undefined;
  const markKeys = await keyring();
  const receiver = createReceiver({ url, userAgent });
  const updates = notifyUpdates({ receiver, clock, random, log, meter });
  return {
    over(index, { engaged, signal, client, keys }) {
      return publishingIndex({
        index,
        keys: markKeys,
        signal,
        onCreate: settings.reloadOnCreate,
        onDelete: settings.reloadOnDelete,
        told: new RedisPublishedSources({ client, keys, cluster: engaged.cluster }),
        api: createKubeClusterApi(engaged.cluster, engaged.connection, []),
        tell: (source) => {
          log.info({ cluster: engaged.name, source }, "source changed; the webhook is called");
          updates.tell();
        },
      });
    },
    stop: () => updates.stop(graceMs),
  };
}
