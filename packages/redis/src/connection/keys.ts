import { stableHash } from "@fleet-reloader/domain/ownership/stable-hash";
import { defaultSourceKinds, type SourceKind, type SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";

const kinds: readonly SourceKind[] = [...defaultSourceKinds, "SecretProviderClass"];

/** BullMQ puts it between the prefix of a shard and its own words. */
export const queueName = "reconcile";

/**
 * What every Redis key begins with; scripts and BullMQ append their own words. All keys of a cluster carry the hash tag of its shard,
 * so that index, checkpoint and queue lie in one slot and Redis Cluster works; what is of the whole fleet has slots of its own. Names of
 * what we watch hold neither `/` nor `:` nor braces, so different things have different keys.
 */
export class Keys {
  /** Into how many parts the clusters are divided. A power of two is not needed; the same number everywhere is. */
  readonly shards: number;
  readonly #prefix: string;

  constructor(prefix: string, shards = 1) {
    this.#prefix = prefix;
    this.shards = shards;
  }

  /** Under which the queue of each shard lies. */
  get queuePrefixes(): readonly string[] {
    return Array.from({ length: this.shards }, (_, shard) => this.#tag(shard));
  }

  /** Position of a cluster's shard in `queuePrefixes`. */
  shardOf(cluster: ClusterId): number {
    return stableHash(cluster) % this.shards;
  }

  /** Key id of the HMAC key all workers of this Redis must share. Where it was before there were shards. */
  get markKeyId(): string {
    return `${this.#tag(0)}:mark-key-id`;
  }

  /** What is of no cluster: who watches what, and how the keys are laid out. */
  get fleet(): FleetKeys {
    return new FleetKeys(`{${this.#prefix}:fleet}`);
  }

  /** Stream: what happened in this cluster and others of its shard; in the first also what is of no cluster. */
  history(cluster: ClusterId | undefined): string {
    return `${this.#tag(cluster === undefined ? 0 : this.shardOf(cluster))}:history`;
  }

  /** The streams of all shards. */
  get histories(): readonly string[] {
    return Array.from({ length: this.shards }, (_, shard) => `${this.#tag(shard)}:history`);
  }

  /** Sorted set of a shard: queue entry that is held → wall time at which it is due all the same, milliseconds. */
  holdTimes(shard: number): string {
    return `${this.#tag(shard)}:hold-times`;
  }

  /** Hash of a shard: queue entry that is held → its request, the reason and the end. */
  holdTexts(shard: number): string {
    return `${this.#tag(shard)}:hold-texts`;
  }

  /** What the shard of a cluster knows of hints: sorted set, cluster → number of its last hint; and the last number. */
  hintsOf(cluster: ClusterId): { readonly clusters: string; readonly lastNumber: string } {
    const tag = this.#tag(this.shardOf(cluster));
    return { clusters: `${tag}:hinted`, lastNumber: `${tag}:hint-number` };
  }

  /** Root of what was rolled lately, in the whole fleet: a slot of its own, since one script looks at all levels. */
  get rollLedger(): string {
    return `{${this.#prefix}:rolls}`;
  }

  cluster(cluster: ClusterId): ClusterKeys {
    return new ClusterKeys(`${this.#tag(this.shardOf(cluster))}:c:${cluster}`);
  }

  /** Glob of the keys of all clusters that end like this. */
  ofClusters(end: string): string {
    return `{${this.#prefix}:*}:c:${end}`;
  }

  /** The cluster that a key is of; undefined: of none. */
  clusterOf(key: string): ClusterId | undefined {
    const cluster = /:c:([^:]+):/.exec(key)?.[1];
    return cluster !== undefined && key.startsWith(`${this.cluster(cluster).root}:`) ? cluster : undefined;
  }

  #tag(shard: number): string {
    return `{${this.#prefix}:${String(shard).padStart(2, "0")}}`;
  }
}

class FleetKeys {
  /** The keys of who watches what begin with it; the script that keeps them knows their names. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Sorted set: watcher and a freeze it knows of, which the history was told of → when it said so last, milliseconds. */
  get freezes(): string {
    return `${this.root}:freezes`;
  }

  /** Text: why the freezes cannot be read, as a watcher said within the last seconds. */
  get unreadableFreezes(): string {
    return `${this.root}:unreadable-freezes`;
  }

  /** Which clusters are registered: name, labels, id. */
  get clusters(): string {
    return `${this.root}:clusters`;
  }

  /** Set: names of freeze documents that there have been. */
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

  /** There while one process looks, or has looked a moment ago, for clusters to forget. */
  get forgetting(): string {
    return `${this.root}:forgetting`;
  }

  /** Hash: cluster → who watches it. Written by the script of ownership alone. */
  get owners(): string {
    return `${this.root}:owners`;
  }

  /** Who is signed in by a session. `digest` is that of its id. */
  session(digest: string): string {
    return `${this.root}:session:${digest}`;
  }

  /** Another one after every change of who watches what. Written by the script of ownership alone. */
  get ownersVersion(): string {
    return `${this.owners}-version`;
  }

  /** Hash of a watcher: cluster that it watches → its report. Expires with the watcher. */
  reportsOf(member: string): string {
    return `${this.root}:reports:${member}`;
  }

  /** Another one after every change of a report. */
  get reportsVersion(): string {
    return `${this.root}:reports-version`;
  }

  /** How many shards the keys of this Redis are laid out for. */
  get shards(): string {
    return `${this.root}:shards`;
  }
}

export class ClusterKeys {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Random per life of the state: a different one, or none, means that what we knew is gone. */
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
   * Hash: workload key → the applied state that was written on it last; `held` and workload key → since when its sources contain something else, in
   * seconds, while the roll for that was held.
   */
  get noted(): string {
    return `${this.root}:noted`;
  }

  /** Hash: workload key → the event that showed its present interest; of those that are not noted yet. */
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

  /** Set: keys of workloads that have not been looked at since their entry became what it is. */
  get unreconciled(): string {
    return `${this.root}:unlooked`;
  }

  /** Hash: source key → version and keyed mark that were told last, in the mode that only tells. */
  get told(): string {
    return `${this.root}:told`;
  }

  /** Hash: workload key → the rollout of it that is followed. */
  get rollouts(): string {
    return `${this.root}:rollouts`;
  }

  /** Sorted set: workload key → when its slow rollout is to be looked at by the watcher of the cluster, wall time in milliseconds. */
  get leftRollouts(): string {
    return `${this.root}:left-rollouts`;
  }

  /** Sorted set: hint → its number. */
  get hints(): string {
    return `${this.root}:hints`;
  }

  /** Sorted set: write of a source, as an audit event told it → when it began, seconds. */
  get auditedWrites(): string {
    return `${this.root}:audited-writes`;
  }

  /** All but sets of workloads that use a source or have patterns: to go in one command. A set that stays says too much at worst. */
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

/** The inverse of `handledField`; undefined for what is none. */
export function readHandledField(kind: SourceKind, field: string): SourceRef | undefined {
  const [namespace, name, ...rest] = field.split("/");
  if (!namespace || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}

export function handledField(ref: SourceRef): string {
  return `${ref.namespace}/${ref.name}`;
}
