import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { watchRollouts } from "@fleet-reloader/engine/follow/watch-rollouts";
import { HintInbox } from "@fleet-reloader/engine/hints/hint-inbox";
import type { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { scopeIn } from "@fleet-reloader/engine/observe/served";
import type { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { StreamLag } from "@fleet-reloader/engine/ports/ownership";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { isSettled } from "@fleet-reloader/engine/ports/source-stream";
import type { Workqueue } from "@fleet-reloader/engine/ports/workqueue";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { type HintedStreams, KubeStreams } from "@fleet-reloader/kube/watch/kube-streams";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisHints } from "@fleet-reloader/redis/hints/redis-hints";
import { RedisRolloutRuns } from "@fleet-reloader/redis/history/redis-rollout-runs";
import { RedisReferenceIndex } from "@fleet-reloader/redis/index/redis-reference-index";
import type { EventSourceMode } from "@fleet-reloader/runtime/audit/hint-fields";
import type { GivenScope } from "@fleet-reloader/runtime/config/given-scope";
import { eventSourceOf } from "../hints/event-source.ts";
import { MissedHints } from "../hints/missed-hints.ts";
import { IdleScope } from "./idle-scope.ts";
import { runTogether } from "./run-together.ts";
import type { WebhookMode } from "./webhook-mode.ts";

export interface WatchingOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: Workqueue;
  readonly settings: Settings;
  /** The flags that the scope of the settings comes from, for people. */
  readonly givenScope: GivenScope;
  readonly names: NameMatches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Workloads that the watches show, for the worker in the same process. Undefined: the process does not both watch and work. */
  readonly shown: ShownWorkloads | undefined;
  readonly auditIntervalMs: number;
  /** How changes are noticed unless the registration of a cluster says it. */
  readonly eventSource: EventSourceMode;
  /** Undefined: changes go into the queue. */
  readonly webhookMode: WebhookMode | undefined;
}

/** Clusters that run their first lists at once. Karmada syncs 5. */
const syncsAtOnce = 16;
/** After this the next cluster starts, although a slow one continues. Listing 1,000 objects takes a tenth of a second. */
const syncTurnMs = 10_000;

interface WatchedCluster {
  readonly name: string;
  readonly watcher: ClusterWatcher;
  /** Collections are read where hints point to. */
  readonly isHinted: boolean;
}

/** Watches the engaged clusters, queues their changes, and checks their slow rollouts. */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #watchers = new Map<ClusterId, WatchedCluster>();
  readonly #semaphore: Semaphore;
  readonly #hints: RedisHints;
  readonly #idleScope: IdleScope;

  constructor(options: WatchingOptions) {
    this.#options = options;
    const { client, clock, givenScope: given, keys, log } = options;
    this.#hints = new RedisHints({ client, keys, clock, log });
    this.#idleScope = new IdleScope({ given, clock, logOf: (name) => log.child({ cluster: name }) });
    this.#semaphore = new Semaphore({ atOnce: syncsAtOnce, longestMs: syncTurnMs, clock });
  }

  /** Watches a cluster, and its slow rollouts, until the signal is aborted. */
  async watch(engaged: Engaged, signal: AbortSignal): Promise<void> {
    const { cluster, labels, name } = engaged;
    const isHinted = eventSourceOf(labels, this.#options.eventSource) === "audit";
    const inbox = isHinted ? this.#inboxOf(engaged) : undefined;
    const synced = engaged.syncBegins();
    const { promise: inSync, resolve: isInSync } = Promise.withResolvers<void>();
    const onInSync = () => {
      synced();
      isInSync();
    };
    const watcher = this.#watcherOf(engaged, onInSync, inbox, signal);
    const { namespaces } = scopeIn(this.#options.settings.scope, engaged.namespaces);
    this.#watchers.set(cluster, { name, watcher, isHinted });
    try {
      await runTogether(signal, [
        (life) => watcher.run(life),
        (life) => this.#idleScope.watchNames({ engaged, namespaces, inSync }, life),
        ...(inbox === undefined ? [] : [(life: AbortSignal) => inbox.run(life)]),
        // Webhook mode rolls nothing.
        ...(this.#options.webhookMode === undefined
          ? [(life: AbortSignal) => this.#watchRollouts(engaged, life)]
          : []),
      ]);
    } finally {
      this.#watchers.delete(cluster);
      synced();
      // The next watcher judges again. Our verdict would stay for the rest of the engagement.
      if (isHinted) engaged.hintsMissed([]);
    }
  }

  /** For each awaited cluster: one line for each stream that is out of sync, or one line with the progress of adoption. */
  notReady(isWaitedFor: (cluster: ClusterId) => boolean): readonly string[] {
    return [...this.#watchers].flatMap(([cluster, { name, watcher }]) => {
      if (!isWaitedFor(cluster)) return [];
      if (watcher.isInSync) return watcher.isAdopted ? [] : [`cluster ${name}: ${watcher.adoption}`];
      const behind = watcher.statuses.filter((status) => !isSettled(status.state));
      if (behind.length === 0) return [`cluster ${name}: streams are starting`];
      return behind.map((status) => `cluster ${name}: ${status.resource} is ${status.state} (${status.why})`);
    });
  }

  /** What our streams of the cluster show about annotations that freeze. Undefined: we have no streams of it. */
  annotationsOf(cluster: ClusterId): ClusterWatcher["annotations"] | undefined {
    const watched = this.#watchers.get(cluster);
    // A hint of an annotation may have been missed.
    return watched?.isHinted === true ? "unknown" : watched?.watcher.annotations;
  }

  /** The progress of the streams of each watched cluster. */
  get lags(): ReadonlyMap<ClusterId, StreamLag> {
    return new Map([...this.#watchers].map(([cluster, { watcher }]) => [cluster, watcher.lag]));
  }

  #inboxOf({ cluster, name }: Engaged): HintInbox {
    const log = this.#options.log.child({ cluster: name });
    return new HintInbox({ cluster, store: this.#hints, log });
  }

  async #watchRollouts({ cluster, connection, name }: Engaged, signal: AbortSignal): Promise<void> {
    const { client, clock, keys, queue, settings, shown } = this.#options;
    const api = createKubeClusterApi(cluster, connection, settings.workloadKinds);
    const runs = new RedisRolloutRuns({ client, keys });
    const log = this.#options.log.child({ cluster: name });
    await watchRollouts({ api, runs, queue, settings, shown: shown?.rollouts, clock, log }, signal);
  }

  #hintedStreams(engaged: Engaged, hints: HintInbox | undefined, log: Log): HintedStreams | undefined {
    if (hints === undefined) return undefined;
    const { meter } = this.#options;
    // The series starts at 0, so that a graph shows the first increase.
    meter.hintsMissed(engaged.name, 0);
    const changed = (lines: readonly string[]) => engaged.hintsMissed(lines);
    const missed = new MissedHints({ name: engaged.name, log, meter, changed });
    return { hints, onMissed: (collection, names) => missed.judged(collection, names) };
  }

  #watcherOf(
    engaged: Engaged,
    onInSync: () => void,
    inbox: HintInbox | undefined,
    signal: AbortSignal,
  ): ClusterWatcher {
    const { auditIntervalMs, client, clock, keys, meter, names, queue, random, shown, webhookMode } =
      this.#options;
    const { cluster, connection, name } = engaged;
    const scope = scopeIn(this.#options.settings.scope, engaged.namespaces);
    const log = this.#options.log.child({ cluster: name });
    const { sourceSelector } = scope;
    const hinted = this.#hintedStreams(engaged, inbox, log);
    const index = new RedisReferenceIndex({ cluster, client, keys, clock, names });
    return new ClusterWatcher({
      cluster,
      name,
      streams: new KubeStreams({ connection, sourceSelector, clock, random, log, hinted }),
      index,
      checkpoints: index,
      session: index,
      createPublisher: webhookMode?.createPublisher({ checkpoints: index, engaged, client, keys, signal }),
      queue,
      settings: { ...this.#options.settings, scope },
      names,
      clock,
      log,
      meter,
      // With hints no event announces a status write, so a write based on the shown state would conflict.
      shown: inbox === undefined ? shown : undefined,
      semaphore: this.#semaphore,
      auditIntervalMs,
      onInSync,
      onSelected: (count) => this.#idleScope.selected(engaged, count),
    });
  }
}
