import { stableHash } from "@fleet-reloader/domain/ownership/stable-hash";
import { defaultSourceKinds, type SourceKind, type SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";

const kinds: readonly SourceKind[] = [...defaultSourceKinds, "SecretProviderClass"];

/** BullMQ puts this name between the prefix of a shard and its own names. */
export const queueName = "reconcile";

/**
 * The beginning of every Redis key; scripts and BullMQ append their own names. All keys of a cluster carry the hash tag of its shard, so that
 * index, checkpoint and queue lie in one slot, as Redis Cluster requires. Data of the whole fleet has slots of its own. Names of watched objects
 * hold neither `/` nor `:` nor braces, so different things have different keys.
 */
export class Keys {
  /** Number of parts that the clusters are divided into. It need not be a power of two, but has to be the same everywhere. */
  readonly shards: number;
  readonly #prefix: string;

  constructor(prefix: string, shards = 1) {
    this.#prefix = prefix;
    this.shards = shards;
  }

  /** The prefix of each shard's queue. */
  get queuePrefixes(): readonly string[] {
    return Array.from({ length: this.shards }, (_, shard) => this.#tag(shard));
  }

  /** Position of a cluster's shard in `queuePrefixes`. */
  shardOf(cluster: ClusterId): number {
    return stableHash(cluster) % this.shards;
  }

  /** Id of the HMAC key that all workers of this Redis must share. Its place is the same as before there were shards. */
  get markKeyId(): string {
    return `${this.#tag(0)}:mark-key-id`;
  }

  /** Keys that belong to no cluster: ownership, and the layout of the keys. */
  get fleet(): FleetKeys {
    return new FleetKeys(`{${this.#prefix}:fleet}`);
  }

  /** Stream: history of the clusters in the shard of this cluster; the first shard's also has records without a cluster. */
  history(cluster: ClusterId | undefined): string {
    return `${this.#tag(cluster === undefined ? 0 : this.shardOf(cluster))}:history`;
  }

  /** The streams of all shards. */
  get histories(): readonly string[] {
    return Array.from({ length: this.shards }, (_, shard) => `${this.#tag(shard)}:history`);
  }

  /** Sorted set of a shard: held queue entry → wall time at which it becomes due even if the hold lasts, milliseconds. */
  holdTimes(shard: number): string {
    return `${this.#tag(shard)}:hold-times`;
  }

  /** Hash of a shard: held queue entry → its request, the reason and the end of the hold. */
  holdTexts(shard: number): string {
    return `${this.#tag(shard)}:hold-texts`;
  }

  /** The hints in the shard of a cluster: sorted set, cluster → number of its last hint; and the last number. */
  hintsOf(cluster: ClusterId): { readonly clusters: string; readonly lastNumber: string } {
    const tag = this.#tag(this.shardOf(cluster));
    return { clusters: `${tag}:hinted`, lastNumber: `${tag}:hint-number` };
  }

  /** Root of the recent rolls of the whole fleet. It has a slot of its own, since one script reads all levels. */
  get rollLedger(): string {
    return `{${this.#prefix}:rolls}`;
  }

  cluster(cluster: ClusterId): ClusterKeys {
    return new ClusterKeys(`${this.#tag(this.shardOf(cluster))}:c:${cluster}`);
  }

  /** Glob of the keys of all clusters that have this end. */
  ofClusters(end: string): string {
    return `{${this.#prefix}:*}:c:${end}`;
  }

  /** The cluster of a key; undefined when the key belongs to none. */
  clusterOf(key: string): ClusterId | undefined {
    const cluster = /:c:([^:]+):/.exec(key)?.[1];
    return cluster !== undefined && key.startsWith(`${this.cluster(cluster).root}:`) ? cluster : undefined;
  }

  #tag(shard: number): string {
    return `{${this.#prefix}:${String(shard).padStart(2, "0")}}`;
  }
}

class FleetKeys {
  /** Prefix of the ownership keys; the ownership script appends their names. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Sorted set: watcher and a freeze it knows of, which is recorded in the history → when it last reported it, milliseconds. */
  get freezes(): string {
    return `${this.root}:freezes`;
  }

  /** Text: why the freezes cannot be read, as a watcher reported within the last seconds. */
  get unreadableFreezes(): string {
    return `${this.root}:unreadable-freezes`;
  }

  /** The registered clusters: name, labels, id. */
  get clusters(): string {
    return `${this.root}:clusters`;
  }

  /** Set: names of all freeze documents that ever existed. */
  get freezeDocuments(): string {
    return `${this.root}:freeze-documents`;
  }

  /** Hash: cluster → id of the registration it is served by. */
  get incumbents(): string {
    return `${this.root}:incumbents`;
  }

  /** Hash: cluster → when a registration was last known to lead to it, Redis' clock, seconds. */
  get registered(): string {
    return `${this.root}:registered`;
  }

  /** Exists for an hour after a process has begun to look for clusters to forget. */
  get forgetting(): string {
    return `${this.root}:forgetting`;
  }

  /** Hash: cluster → its owner. Only the ownership script writes it. */
  get owners(): string {
    return `${this.root}:owners`;
  }

  /** The session with this digest of its id: who is signed in. */
  session(digest: string): string {
    return `${this.root}:session:${digest}`;
  }

  /** Changes with every change of ownership. Only the ownership script writes it. */
  get ownersVersion(): string {
    return `${this.owners}-version`;
  }

  /** Hash of a watcher: cluster that it watches → its report. Expires when the watcher is gone. */
  reportsOf(member: string): string {
    return `${this.root}:reports:${member}`;
  }

  /** Changes with every change of a report. */
  get reportsVersion(): string {
    return `${this.root}:reports-version`;
  }

  /** The number of shards that the keys of this Redis are laid out for. */
  get shards(): string {
    return `${this.root}:shards`;
  }
}

export class ClusterKeys {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Random for each life of the state: another epoch, or none, means that the earlier state is lost. */
  get epoch(): string {
    return `${this.root}:epoch`;
  }

  /** Wall time at which this cluster was first engaged, seconds. */
  get engagedAt(): string {
    return `${this.root}:engaged-at`;
  }

  /** Hash: workload key → encoded index entry. */
  get workloads(): string {
    return `${this.root}:workloads`;
  }

  /**
   * Hash: workload key → the applied state that was last written on it; `held` and workload key → since when its sources differ from it while the
   * roll is held, in seconds.
   */
  get noted(): string {
    return `${this.root}:noted`;
  }

  /** Hash: workload key → the event that showed its present interest; only for workloads without a recorded applied state. */
  get seen(): string {
    return `${this.root}:seen`;
  }

  /** Hash: stream of workloads → since when it is served, and as what. */
  get served(): string {
    return `${this.root}:served`;
  }

  /** Set: keys of workloads whose entries are new or different, and whose requests may not be in the queue yet. */
  get unpublished(): string {
    return `${this.root}:unpublished`;
  }

  /** Set: keys of workloads that no worker has reconciled since their entry last changed. */
  get unreconciled(): string {
    return `${this.root}:unlooked`;
  }

  /** Hash: source key → version and keyed mark that were last published, in webhook mode. */
  get told(): string {
    return `${this.root}:told`;
  }

  /** Hash: workload key → its rollout run. */
  get rollouts(): string {
    return `${this.root}:rollouts`;
  }

  /** Sorted set: workload key → when the watcher of the cluster checks its slow rollout next, wall time in milliseconds. */
  get leftRollouts(): string {
    return `${this.root}:left-rollouts`;
  }

  /** Sorted set: hint → its number. */
  get hints(): string {
    return `${this.root}:hints`;
  }

  /** Sorted set: write of a source as an audit event reports it → when it began, seconds. */
  get auditedWrites(): string {
    return `${this.root}:audited-writes`;
  }

  /**
   * All keys except the sets of workloads that use a source or have patterns, so that one command removes them. A set that remains at worst lists
   * too much.
   */
  get whole(): readonly string[] {
    const { epoch, engagedAt, workloads, noted, seen, served, unreconciled, told } = this;
    const { rollouts, leftRollouts, unpublished } = this;
    const known = [epoch, engagedAt, workloads, noted, seen, served, unreconciled, told];
    const names = ["dependent", "windows", "hints", "audited-writes"];
    const others = names.map((name) => `${this.root}:${name}`);
    return [
      ...known,
      rollouts,
      leftRollouts,
      unpublished,
      ...others,
      ...kinds.map((kind) => this.handled(kind)),
    ];
  }

  /** Hash: `ns/name` → version handled last. */
  handled(kind: SourceKind): string {
    return `${this.root}:handled:${kind}`;
  }
}

/** The inverse of `handledField`; undefined for any other text. */
export function readHandledField(kind: SourceKind, field: string): SourceRef | undefined {
  const [namespace, name, ...rest] = field.split("/");
  if (!namespace || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}

export function handledField(ref: SourceRef): string {
  return `${ref.namespace}/${ref.name}`;
}
