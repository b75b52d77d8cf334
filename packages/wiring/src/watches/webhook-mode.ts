import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Checkpoints } from "@fleet-reloader/engine/ports/reference-index";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { SourcePublisher } from "@fleet-reloader/engine/watch/sources/source-publisher";
import { WebhookPublisher } from "@fleet-reloader/engine/watch/sources/webhook-publisher";
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
  /** Creates the publisher of one cluster's changed sources, for the time at which we first engaged the cluster. */
  createPublisher(cluster: WebhookCluster): (engagedAtSeconds: number) => SourcePublisher;
  stop(): Promise<void>;
}

interface WebhookCluster {
  readonly checkpoints: Checkpoints;
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

/** Calls that are unsent by then are dropped. */
const webhookGraceMs = 2000;

/** Undefined when no address is given: then changes roll workloads. */
export async function createWebhookMode(options: WebhookModeOptions): Promise<WebhookMode | undefined> {
  const { url, keyring, settings, clock, random, log, meter } = options;
  if (url === undefined) return undefined;
  const markKeys = await keyring();
  const receiver = createReceiver({ url, userAgent });
  const updates = notifyUpdates({ receiver, clock, random, log, meter });
  const { reloadOnCreate: onCreate, reloadOnDelete: onDelete } = settings;
  return {
    createPublisher({ checkpoints, engaged, client, keys, signal }) {
      const { cluster, name, connection } = engaged;
      const published = new RedisPublishedSources({ cluster, client, keys });
      const api = createKubeClusterApi(cluster, connection, []);
      const notify = (source: SourceRef) => {
        log.info({ cluster: name, source }, "source changed; the webhook is called");
        return updates.tell();
      };
      const publisher = { published, checkpoints, api, keys: markKeys, onCreate, onDelete, notify, signal };
      return (engagedAtSeconds) => new WebhookPublisher({ ...publisher, engagedAtSeconds });
    },
    stop: () => updates.stop(webhookGraceMs),
  };
}
