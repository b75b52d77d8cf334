import { randomUUID } from "node:crypto";
import { Fault } from "@fleet-reloader/domain/fault";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { parseWorkloadKey, type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type {
  Checkpoints,
  Dependent,
  IndexEntry,
  IndexSession,
  ReferenceIndex,
  SourceChange,
  SourceVersion,
} from "@fleet-reloader/engine/ports/reference-index";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ServedRecord } from "@fleet-reloader/engine/ports/workload-records";
import { keyPrefix } from "@fleet-reloader/engine/watch/frozen-watch";
import type { RedisClient } from "../connection/client.ts";
import { type ClusterKeys, handledField, type Keys, readHandledField } from "../connection/keys.ts";
import type { Script } from "../connection/script.ts";
import { noteShards } from "../connection/shard-guard.ts";
import { hashFields } from "./hash-fields.ts";
import { encodeEntry, readList, readPatterns, readText, readWindow } from "./index-entry.ts";
import {
  expectScript,
  findChangedScript,
  markHandledScript,
  markPublishedScript,
  putScript,
  removeScript,
} from "./reference-index-scripts.ts";
import { encodeSeen, encodeServed, readServed } from "./workload-record.ts";

export interface RedisReferenceIndexOptions {
  readonly cluster: ClusterId;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly names: Pick<NameMatches, "of">;
}

/** Entries removed per script: it blocks Redis for some milliseconds. A namespace or a kind may have tens of thousands. */
const removedAtOnce = 500;

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Whether a command got no answer. Any other error is a refusal of Redis, a more specific fault, or a bug of ours. */
function isUnanswered(error: Error): boolean {
  const isBug = bugs.some((its) => error instanceof its);
  return !(isBug || error instanceof Fault || error.name === "ReplyError");
}

/** The reference index of one cluster in Redis, with its checkpoints and its session: one epoch guards all three. */
export class RedisReferenceIndex implements ReferenceIndex, Checkpoints, IndexSession {
  readonly #client: RedisClient;
  readonly #all: Keys;
  readonly #keys: ClusterKeys;
  readonly #clock: Clock;
  readonly #names: RedisReferenceIndexOptions["names"];
  #epoch = "";
  #connections = 0;

  constructor(options: RedisReferenceIndexOptions) {
    this.#client = options.client;
    this.#all = options.keys;
    this.#keys = options.keys.cluster(options.cluster);
    this.#clock = options.clock;
    this.#names = options.names;
  }

  async open(): Promise<{ engagedAtSeconds: number }> {
    const redis = this.#client.connection;
    const now = String(Math.floor(this.#clock.now() / 1000));
    // The ping precedes the connection count, so a reconnection in between changes the count.
    await redis.ping();
    this.#connections = this.#client.connections;
    await noteShards({ client: this.#client, keys: this.#all });
    await redis.set(this.#keys.epoch, randomUUID(), "NX");
    await redis.set(this.#keys.engagedAt, now, "NX");
    const [epoch, engagedAt] = await redis.mget(this.#keys.epoch, this.#keys.engagedAt);
    this.#epoch = epoch ?? "";
    return { engagedAtSeconds: Number(engagedAt ?? now) };
  }

  async served(stream: string): Promise<ServedRecord | undefined> {
    await this.verify();
    return readServed(await this.#client.connection.hget(this.#keys.served, stream));
  }

  async serve(stream: string, record: ServedRecord): Promise<void> {
    this.#sameConnection();
    await this.#client.connection.hset(this.#keys.served, stream, encodeServed(record));
  }

  async unreconciled(): Promise<number> {
    return await this.#client.connection.scard(this.#keys.unreconciled);
  }

  async verify(): Promise<void> {
    this.#sameConnection();
    if ((await this.#client.connection.get(this.#keys.epoch)) !== this.#epoch) throw stateLost();
  }

  async put(entries: readonly IndexEntry[]): Promise<readonly IndexEntry[]> {
    const args = entries.flatMap((entry) => [
      workloadKey(entry.workload),
      encodeEntry(entry),
      encodeSeen(entry.seen),
    ]);
    const positions = readList(await this.#run(putScript, args));
    return positions.flatMap((position) => entries[Number(position) - 1] ?? []);
  }

  async markPublished(workloads: readonly WorkloadRef[]): Promise<void> {
    const keys = workloads.map(workloadKey);
    await this.#run(markPublishedScript, keys);
    await this.#unlessReconnected(() => this.#client.connection.sadd(this.#keys.unpublished, keys));
  }

  async remove(workloads: readonly WorkloadRef[]): Promise<void> {
    await this.#remove(workloads.map(workloadKey));
  }

  async keys(workloadKind: string, namespace: string | undefined): Promise<ReadonlySet<string>> {
    await this.verify();
    const prefix = keyPrefix(workloadKind, namespace);
    return await hashFields(this.#client.connection, this.#keys.workloads, prefix);
  }

  async retain(
    workloadKind: string,
    namespace: string | undefined,
    keys: ReadonlySet<string>,
  ): Promise<void> {
    await this.#retain(keyPrefix(workloadKind, namespace), (key) => keys.has(key));
  }

  async retainServed(isServed: (workload: WorkloadRef) => boolean): Promise<void> {
    await this.#retain("", (key) => {
      const workload = parseWorkloadKey(key);
      return workload !== undefined && isServed(workload);
    });
  }

  async findChanged(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]> {
    const [found, withPatterns] = readList(await this.#run(findChangedScript, sources.flatMap(quadruple)));
    const changed = readList(found).flatMap((item) => {
      const [position, named, isFirst] = readList(item);
      const source = sources[Number(position) - 1];
      if (source === undefined) return [];
      return [{ source, isFirst: isFirst === 1, dependents: this.#named(readList(named)) }];
    });
    const names = namesOf(changed.map(({ source }) => source.ref));
    for (const item of readList(withPatterns)) {
      const [namespace, workloads] = readList(item);
      const matching = await this.#matching(readList(workloads), names(readText(namespace)));
      for (const { source, dependents } of changed)
        if (source.ref.namespace === namespace) dependents.push(...matching(source.ref));
    }
    return changed
      .filter(({ dependents }) => dependents.length > 0)
      .map((one) => ({ ...one, dependents: distinct(one.dependents) }));
  }

  async markHandled(sources: readonly SourceVersion[]): Promise<void> {
    await this.#run(markHandledScript, sources.flatMap(quadruple));
    await this.#unlessReconnected(() => this.#resetCheckpoints(sources.map(({ ref }) => ref)));
  }

  async expect(sources: readonly SourceRef[]): Promise<void> {
    await this.#run(
      expectScript,
      sources.flatMap((ref) => [ref.kind, handledField(ref)]),
    );
  }

  async handledSources(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    await this.verify();
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    const fields = await hashFields(this.#client.connection, this.#keys.handled(kind), prefix);
    return [...fields].flatMap((field) => readHandledField(kind, field) ?? []);
  }

  async forget(sources: readonly SourceRef[]): Promise<void> {
    this.#sameConnection();
    for (const [kind, group] of Map.groupBy(sources, (source) => source.kind)) {
      await this.#client.connection.hdel(this.#keys.handled(kind), ...group.map(handledField));
    }
    await this.#unlessReconnected(() => this.#resetCheckpoints(sources));
  }

  /** Marks these sources as having no handled version: the next list publishes those it contains, and those that are gone. */
  async #resetCheckpoints(sources: readonly SourceRef[]): Promise<void> {
    for (const [kind, group] of Map.groupBy(sources, (source) => source.kind)) {
      const fields = group.flatMap((ref) => [handledField(ref), "expected"]);
      await this.#client.connection.hset(this.#keys.handled(kind), ...fields);
    }
  }

  async #retain(prefix: string, isKept: (key: string) => boolean): Promise<void> {
    const keys = await hashFields(this.#client.connection, this.#keys.workloads, prefix);
    await this.#remove([...keys].filter((key) => !isKept(key)));
  }

  async #remove(workloads: readonly string[]): Promise<void> {
    for (let at = 0; at < workloads.length; at += removedAtOnce)
      await this.#run(removeScript, workloads.slice(at, at + removedAtOnce));
  }

  #named(pairs: readonly unknown[]): Dependent[] {
    const dependents: Dependent[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const workload = parseWorkloadKey(readText(pairs[i]));
      if (workload !== undefined) dependents.push({ workload, window: readWindow(pairs[i + 1]) });
    }
    return dependents;
  }

  /** Which workloads with name patterns use which sources of a namespace. */
  async #matching(
    triples: readonly unknown[],
    namesOfKind: ReadonlyMap<SourceKind, readonly string[]>,
  ): Promise<(source: SourceRef) => readonly Dependent[]> {
    const users: {
      readonly dependent: Dependent;
      readonly matches: ReadonlyMap<string, ReadonlySet<string>>;
    }[] = [];
    for (let i = 0; i < triples.length; i += 3) {
      const workload = parseWorkloadKey(readText(triples[i]));
      if (workload === undefined) continue;
      const patterns = readPatterns(triples[i + 2]);
      const matches = new Map<string, ReadonlySet<string>>();
      for (const [kind, names] of namesOfKind) {
        const items = patterns.flatMap(([itsKind, item]) => (itsKind === kind ? [item] : []));
        matches.set(kind, new Set((await this.#names.of(items, names)).keys()));
      }
      users.push({ dependent: { workload, window: readWindow(triples[i + 1]) }, matches });
    }
    return ({ kind, name }) =>
      users.flatMap(({ dependent, matches }) => (matches.get(kind)?.has(name) === true ? [dependent] : []));
  }

  async #run(script: Script, args: readonly string[]): Promise<unknown> {
    if (args.length === 0) return [];
    this.#sameConnection();
    try {
      return await script.run(this.#client.connection, this.#keys.root, [this.#epoch, ...args]);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.message.includes("STATELOST")) throw stateLost();
      if (isUnanswered(error)) throw new Fault("redis.unavailable", error.message, { cause: error });
      throw error;
    }
  }

  /**
   * A command without an answer is sent again after a reconnection, maybe to a Redis that took over and has lost the requests queued before.
   * So what the command stored about them is reverted.
   */
  async #unlessReconnected(takeBack: () => Promise<unknown>): Promise<void> {
    if (this.#client.connections === this.#connections) return;
    await takeBack();
    throw stateLost();
  }

  #sameConnection(): void {
    if (this.#client.connections !== this.#connections) throw stateLost();
  }
}

function stateLost(): Fault {
  return new Fault(
    "redis.state-lost",
    "Redis was restarted, flushed or replaced; everything is compared again",
  );
}

/** The names of each kind in a namespace. */
function namesOf(sources: readonly SourceRef[]) {
  const byNamespace = Map.groupBy(sources, ({ namespace }) => namespace);
  return (namespace: string): ReadonlyMap<SourceKind, readonly string[]> =>
    new Map(
      [...Map.groupBy(byNamespace.get(namespace) ?? [], ({ kind }) => kind)].map(([kind, refs]) => [
        kind,
        refs.map(({ name }) => name),
      ]),
    );
}

function quadruple(source: SourceVersion): string[] {
  return [source.ref.kind, source.ref.namespace, source.ref.name, source.resourceVersion];
}

function distinct(dependents: readonly Dependent[]): readonly Dependent[] {
  return [...new Map(dependents.map((dependent) => [workloadKey(dependent.workload), dependent])).values()];
}
