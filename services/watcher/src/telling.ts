import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { publishingIndex, type WatchedIndex } from "@fleet-reloader/engine/watch/publishing-index";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { notifyUpdates } from "@fleet-reloader/notify/notify-updates";
import { createReceiver } from "@fleet-reloader/notify/post";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisPublishedSources } from "@fleet-reloader/redis/index/redis-published-sources";
import { userAgent } from "@fleet-reloader/runtime/process/version";

/** What turns a watcher into one that tells each change of a source and rolls nothing. */
export interface WebhookMode {
  over(index: WatchedIndex, life: TellingLife): WatchedIndex;
  stop(): Promise<void>;
}

interface TellingLife {
  readonly engaged: Engaged;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly signal: AbortSignal;
}

/** What is not sent by then is given up. */
const graceMs = 2000;

/** Undefined when no address is given: then changes roll workloads. */
export async function createWebhookMode(options: {
  readonly url: URL | undefined;
  readonly keyring: () => Promise<Keyring>;
  readonly settings: Pick<Settings, "reloadOnCreate" | "reloadOnDelete">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}): Promise<WebhookMode | undefined> {
  const { url, log } = options;
  const { reloadOnCreate, reloadOnDelete } = options.settings;
  if (url === undefined) return undefined;
  const keys = await options.keyring();
  const updates = notifyUpdates({ ...options, receiver: createReceiver({ url, userAgent }) });
  return {
    over(index, { engaged, signal, ...redis }) {
      return publishingIndex({
        ...{ index, keys, signal, onCreate: reloadOnCreate, onDelete: reloadOnDelete },
        told: new RedisPublishedSources({ ...redis, cluster: engaged.cluster }),
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

/** In this mode no workload is looked at. */
export function settingsFor(webhookMode: WebhookMode | undefined, settings: Settings): Settings {
  return webhookMode === undefined ? settings : { ...settings, workloadKinds: [] };
}
