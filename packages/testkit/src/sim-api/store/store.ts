import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { type Change, History } from "./history.ts";
import { compareKeys, keyOf, ObjectTable } from "./table.ts";

export interface StoredChange extends Change {
  readonly type: ResourceType;
}

interface Shelf {
  readonly type: ResourceType;
  readonly table: ObjectTable;
  readonly history: History;
}

/**
 * What etcd and the watch cache are together: the objects, one version counter for all of them, and
 * per resource the changes that watches and old lists can still see.
 */
export class ObjectStore {
  readonly #shelves = new Map<ResourceType, Shelf>();
  readonly #listeners = new Set<(change: StoredChange) => void>();
  readonly #historyLimit: number;
  #version: number;

  constructor(options: {
    readonly types: readonly ResourceType[];
    readonly historyLimit: number;
    readonly firstVersion: number;
  }) {
    this.#version = options.firstVersion;
    this.#historyLimit = options.historyLimit;
    for (const type of options.types) this.add(type);
  }

  /** A type that is served from now on, as one that a CustomResourceDefinition adds. */
  add(type: ResourceType): void {
    const history = new History(this.#historyLimit, this.#version);
    this.#shelves.set(type, { type, table: new ObjectTable(), history });
  }

  /** The version of the latest change. */
  get version(): number {
    return this.#version;
  }

  get(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    return this.#shelf(type).table.get(namespace, name);
  }

  count(type: ResourceType): number {
    return this.#shelf(type).table.size;
  }

  /** The current objects in key order. */
  scan(type: ResourceType, namespace?: string, afterKey?: string): Iterable<KubeObject> {
    return this.#shelf(type).table.scan(namespace, afterKey);
  }

  /** The objects as they were at `version`, in key order; the caller has checked `floor`. */
  scanAt(version: number, type: ResourceType, namespace?: string, afterKey?: string): Iterable<KubeObject> {
    const changes = this.#shelf(type).history.since(version);
    const current = this.scan(type, namespace, afterKey);
    return changes.length === 0 ? current : weave(current, undo(changes), namespace, afterKey);
  }

  /** The oldest version that can still be asked for. */
  floor(type: ResourceType): number {
    return this.#shelf(type).history.floor;
  }

  changesSince(type: ResourceType, version: number): readonly Change[] {
    return this.#shelf(type).history.since(version);
  }

  /** The version that the next `commit` has to carry. */
  nextVersion(): number {
    return this.#version + 1;
  }

  commit(type: ResourceType, namespace: string, name: string, after: KubeObject | undefined): void {
    const shelf = this.#shelf(type);
    this.#version += 1;
    const before = shelf.table.get(namespace, name);
    const change = { type, version: this.#version, namespace, name, before, after };
    shelf.table.set(namespace, name, after);
    shelf.history.add(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Something was written that nobody here can see, such as a lease: the version moves on. */
  tick(): void {
    this.#version += 1;
  }

  onChange(listener: (change: StoredChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As a compaction and a restart of the API server: every version but the current one is gone. */
  expireHistory(): void {
    for (const shelf of this.#shelves.values()) shelf.history.forgetUpTo(this.#version);
  }

  /** As a restored backup of etcd: the objects of then, and versions that will be given out a second time. */
  rewind(version: number): void {
    const shelves = [...this.#shelves.values()];
    const lost = shelves.find((shelf) => shelf.history.floor > version);
    if (lost !== undefined)
      throw new Error(`cannot rewind to ${version}: history begins at ${lost.history.floor}`);
    for (const { table, history } of shelves) {
      for (const change of history.takeBack(version)) table.set(change.namespace, change.name, change.before);
    }
    this.#version = version;
  }

  #shelf(type: ResourceType): Shelf {
    const shelf = this.#shelves.get(type);
    if (shelf === undefined) throw new Error(`no resource ${type.plural}`);
    return shelf;
  }
}

/** For each key that changed since: what it held before its first change. */
function undo(changes: readonly Change[]): Map<string, KubeObject | undefined> {
  const overlay = new Map<string, KubeObject | undefined>();
  for (const change of changes) {
    const key = `${change.namespace}/${change.name}`;
    if (!overlay.has(key)) overlay.set(key, change.before);
  }
  return overlay;
}

function* weave(
  current: Iterable<KubeObject>,
  overlay: Map<string, KubeObject | undefined>,
  namespace: string | undefined,
  afterKey: string | undefined,
): Generator<KubeObject> {
  const old = [...overlay.values()]
    .filter((object) => object !== undefined)
    .filter((object) => namespace === undefined || object.metadata.namespace === namespace)
    .filter((object) => afterKey === undefined || compareKeys(keyOf(object), afterKey) > 0)
    .sort((left, right) => compareKeys(keyOf(left), keyOf(right)));
  let at = 0;
  for (const object of current) {
    const key = keyOf(object);
    for (let next = old[at]; next !== undefined && compareKeys(keyOf(next), key) < 0; next = old[at]) {
      yield next;
      at += 1;
    }
    if (!overlay.has(key)) yield object;
  }
  yield* old.slice(at);
}
