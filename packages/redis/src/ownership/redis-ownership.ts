import { asFault } from "@fleet-reloader/domain/fault";
import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Ownership } from "@fleet-reloader/engine/ports/ownership";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { readList, readText } from "../index/index-entry.ts";
import { ClusterReach } from "./cluster-reach.ts";
import { ClusterWeights } from "./cluster-weight.ts";
import { defaultPace, type OwnershipPace } from "./ownership-pace.ts";
import { ownershipScript } from "./ownership-script.ts";
import {
  type Candidate,
  type OwnerRecord,
  type OwnershipView,
  readView,
  type Wish,
  wishesOf,
} from "./ownership-view.ts";

export interface RedisOwnershipOptions {
  /** A name that no other process has, nor an earlier run of this one. */
  readonly member: string;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Whether this process reaches a cluster that it has engaged. */
  readonly reachOf: (cluster: ClusterId) => Reach;
  readonly pace?: OwnershipPace;
}

/**
 * Clusters that are engaged together are requested together. A request costs as much as there are records, so gathering takes longer the more
 * there are: 20 ms for the first, a quarter of a second for a thousand.
 */
const ownershipGatherMs = 20;
const gatherPerRecordMs = 0.25;
/** While Redis is away we cannot say that we leave; our membership expires instead. */
const leaveMs = 1000;

const offeredMessage =
  "this watcher has not reached the cluster for a minute; another that reaches it may take it";

/** A cluster that this process could watch, and whether it does. */
interface Candidacy {
  readonly cluster: ClusterId;
  owned: { epoch: number; readonly lost: AbortController } | undefined;
  gained: PromiseWithResolvers<void>;
}

/**
 * Ownership over records in Redis. All members compute the assignment by the same rule from the same state, and each member writes only its own
 * changes. While Redis is away every member continues to watch its clusters.
 */
export class RedisOwnership implements Ownership {
  readonly #options: RedisOwnershipOptions;
  readonly #pace: OwnershipPace;
  readonly #candidacies = new Set<Candidacy>();
  readonly #seen = new Map<ClusterId, { epoch: number; weight: number; freeSince: number | undefined }>();
  readonly #weights: ClusterWeights;
  readonly #reach: ClusterReach;
  #view: OwnershipView | undefined;
  #version = "";
  #redisNow = 0;
  #connections = 0;
  #answeredAt: number | undefined;
  #mayClaimAt = 0;
  #mayMoveAt = 0;
  #failure = "";
  #woken = Promise.withResolvers<void>();

  constructor(options: RedisOwnershipOptions) {
    const { client, clock, keys, log, pace = defaultPace, reachOf } = options;
    this.#options = options;
    this.#pace = pace;
    this.#weights = new ClusterWeights({ client, keys, log });
    this.#reach = new ClusterReach(reachOf, { clock, gapMs: pace.expiryMs });
  }

  /** Clusters that we could watch and that, as far as we know, nobody watches; for readiness. */
  get unowned(): readonly ClusterId[] {
    return [...this.#candidacies].flatMap(({ cluster, owned }) =>
      owned === undefined && this.#view?.owners.has(cluster) !== true ? [cluster] : [],
    );
  }

  /** Who watches the cluster, as far as we know. `nobody`: it is about to get an owner. */
  watcherOf(cluster: ClusterId): "us" | "another" | "nobody" | "unknown" {
    const candidacy = [...this.#candidacies].find((each) => each.cluster === cluster);
    if (candidacy?.owned !== undefined) return "us";
    if (this.#view?.owners.has(cluster) === true) return "another";
    return candidacy === undefined ? "unknown" : "nobody";
  }

  async during(
    cluster: ClusterId,
    signal: AbortSignal,
    work: (owned: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const candidacy: Candidacy = { cluster, owned: undefined, gained: Promise.withResolvers() };
    this.#candidacies.add(candidacy);
    this.#woken.resolve();
    const ended = untilAborted(signal);
    try {
      while (!signal.aborted) {
        await Promise.race([candidacy.gained.promise, ended]);
        const { owned } = candidacy;
        if (owned !== undefined && !signal.aborted) {
          using both = linkedAbort(signal, owned.lost.signal);
          await work(both.signal);
        }
        if (owned?.lost.signal.aborted === false) return;
      }
    } finally {
      this.#candidacies.delete(candidacy);
      this.#count();
      this.#woken.resolve();
    }
  }

  /** Takes part until the signal is aborted; then leaves, so that others take over at once. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let weighAt = clock.monotonic() + this.#pace.weighMs;
    while (!signal.aborted) {
      try {
        await unlessAborted(this.#beat(), signal, "Redis");
        this.#failure = "";
        if (clock.monotonic() >= weighAt) {
          weighAt = clock.monotonic() + this.#pace.weighMs;
          this.#weights.read(this.#ours.map(([cluster]) => cluster));
        }
      } catch (error) {
        const { message } = asFault(error);
        if (!signal.aborted && message !== this.#failure)
          log.warn({ err: message }, "ownership of clusters could not be renewed; trying again");
        this.#failure = message;
      }
      const beat = clock.sleep(this.#pace.beatMs, signal).catch(() => undefined);
      await Promise.race([beat, this.#woken.promise]);
      this.#woken = Promise.withResolvers();
      const records = this.#view?.owners.size ?? 0;
      await clock.sleep(ownershipGatherMs + gatherPerRecordMs * records, signal).catch(() => undefined);
    }
    await this.#leave();
  }

  async #beat(): Promise<void> {
    const { log } = this.#options;
    await this.#exchange([]);
    this.#reach.observe([...this.#candidacies].map(({ cluster }) => cluster));
    const wishes = [...this.#wishes(), ...this.#weighings()];
    if (wishes.length > 0) await this.#exchange(wishes);
    for (const { cluster, epoch, verb } of wishes)
      if (verb === "offer") log.info({ clusterUid: cluster, epoch }, offeredMessage);
  }

  async #leave(): Promise<void> {
    const { clock, log } = this.#options;
    const left = this.#send(0, []).catch((error: unknown) =>
      log.debug(
        { err: asFault(error).message },
        "the other watchers notice our end when our membership expires",
      ),
    );
    await atMost(leaveMs, clock, left);
  }

  async #exchange(wishes: readonly Wish[]): Promise<void> {
    const { client, clock } = this.#options;
    const askedAt = clock.monotonic();
    const [version, now, wasMember, members, owners, offers] = readList(
      await this.#send(this.#pace.expiryMs, wishes),
    );
    const isFirst = this.#answeredAt === undefined;
    const silence = clock.monotonic() - (this.#answeredAt ?? askedAt);
    // Other members may have been unable to report that they live, or what they watch.
    const mayBeLost =
      wasMember !== 1 || client.connections !== this.#connections || silence > this.#pace.expiryMs / 2;
    if (!isFirst && mayBeLost) this.#mayClaimAt = clock.monotonic() + this.#pace.graceMs;
    this.#connections = client.connections;
    this.#answeredAt = clock.monotonic();
    this.#redisNow = Number(now);
    this.#version = readText(version);
    if (members !== undefined) this.#see(readView(members, owners, offers));
    this.#settle();
  }

  /** Compares members regardless of Redis' order, which is by expiry. */
  #see(view: OwnershipView): void {
    const namesOf = (seen: OwnershipView | undefined) => seen?.members.toSorted().join(" ");
    if (namesOf(view) !== namesOf(this.#view))
      this.#mayMoveAt = this.#options.clock.monotonic() + this.#pace.graceMs;
    this.#view = view;
  }

  async #send(ttlMs: number, wishes: readonly Wish[]): Promise<unknown> {
    const { client, keys, member } = this.#options;
    const args = wishes.flatMap(({ verb, cluster, epoch, weight }) => [
      ...[verb, cluster, String(epoch), String(weight)],
    ]);
    const settings = [member, String(ttlMs), String(this.#pace.stayMs), this.#version];
    return await ownershipScript.run(client.connection, keys.fleet.root, [...settings, ...args]);
  }

  #note(cluster: ClusterId, record: OwnerRecord | undefined): void {
    const seen = this.#seen.get(cluster) ?? { epoch: 0, weight: 1, freeSince: undefined };
    const isFree = record === undefined || record.isOffered;
    seen.freeSince = isFree ? (seen.freeSince ?? this.#options.clock.monotonic()) : undefined;
    if (record !== undefined) Object.assign(seen, { epoch: record.epoch, weight: record.weight });
    this.#seen.set(cluster, seen);
  }

  /** Starts and ends work according to the records. */
  #settle(): void {
    const { member, log } = this.#options;
    for (const candidacy of this.#candidacies) {
      const { cluster, owned } = candidacy;
      const record = this.#view?.owners.get(cluster);
      this.#note(cluster, record);
      if (record?.owner === member && owned !== undefined) owned.epoch = record.epoch;
      else if (record?.owner === member) {
        log.info({ clusterUid: cluster, epoch: record.epoch }, "this watcher watches the cluster");
        candidacy.owned = { epoch: record.epoch, lost: new AbortController() };
        candidacy.gained.resolve();
      } else if (record !== undefined && record.owner !== member && owned !== undefined) {
        log.info(
          { clusterUid: cluster, epoch: record.epoch, owner: record.owner },
          "another watcher watches the cluster",
        );
        candidacy.owned = undefined;
        candidacy.gained = Promise.withResolvers();
        owned.lost.abort();
      }
    }
    this.#count();
  }

  #count(): void {
    const owned = [...this.#candidacies].filter((candidacy) => candidacy.owned !== undefined);
    this.#options.meter.clustersOwned(owned.length);
  }

  #wishes(): readonly Wish[] {
    const { clock, member } = this.#options;
    if (this.#view === undefined) return [];
    const candidates = new Map<ClusterId, Candidate>();
    for (const { cluster, owned } of this.#candidacies) {
      const seen = this.#seen.get(cluster);
      const since = seen?.freeSince;
      candidates.set(cluster, {
        watchedWith: owned?.epoch ?? candidates.get(cluster)?.watchedWith,
        lastEpoch: seen?.epoch ?? 0,
        lastWeight: seen?.weight ?? 1,
        isOrphan: since !== undefined && clock.monotonic() - since > this.#pace.graceMs,
        reach: this.#reach.stateOf(cluster),
      });
    }
    for (const cluster of this.#seen.keys()) if (!candidates.has(cluster)) this.#seen.delete(cluster);
    const mayClaim = clock.monotonic() >= this.#mayClaimAt;
    const mayMove = mayClaim && clock.monotonic() >= this.#mayMoveAt;
    const at = { now: this.#redisNow, stayMs: this.#pace.stayMs, mayClaim, mayMove };
    return wishesOf(member, this.#view, candidates, at);
  }

  /** Requests to store the changed weights of our clusters. */
  #weighings(): readonly Wish[] {
    const weights = this.#weights.take();
    return this.#ours.flatMap(([cluster, { epoch, weight }]) => {
      const now = weights.get(cluster) ?? weight;
      return now === weight ? [] : [{ verb: "weigh", cluster, epoch, weight: now } as const];
    });
  }

  get #ours(): readonly (readonly [ClusterId, OwnerRecord])[] {
    const { member } = this.#options;
    return [...(this.#view?.owners ?? [])].filter(([, { owner }]) => owner === member);
  }
}
