import type { KubeObject } from "../objects/kube-object.ts";

interface NamespaceRows {
  readonly rows: Map<string, KubeObject>;
  /** Built when somebody lists, dropped when a name comes or goes. */
  sortedNames: readonly string[] | undefined;
}

/** All objects of one resource, listed in the order of etcd: by the bytes of `namespace/name`. */
export class ObjectTable {
  readonly #namespaces = new Map<string, NamespaceRows>();
  #sortedNamespaces: readonly string[] | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#namespaces.get(namespace)?.rows.get(name);
  }

  set(namespace: string, name: string, object: KubeObject | undefined): void {
    const rows = this.#rowsOf(namespace);
    const had = rows.rows.has(name);
    if (object === undefined) rows.rows.delete(name);
    else rows.rows.set(name, object);
    if (had === (object !== undefined)) return;
    rows.sortedNames = undefined;
    this.#size += had ? -1 : 1;
  }

  /** In key order, after `afterKey` when given. */
  *scan(namespace: string | undefined, afterKey?: string): Generator<KubeObject> {
    const namespaces = namespace === undefined ? this.#namespaceOrder() : [namespace];
    for (const each of namespaces) {
      const rows = this.#namespaces.get(each);
      if (rows === undefined) continue;
      const names = this.#nameOrder(rows);
      for (let at = firstAfter(names, each, afterKey); at < names.length; at += 1) {
        const object = rows.rows.get(names[at] ?? "");
        if (object !== undefined) yield object;
      }
    }
  }

  #rowsOf(namespace: string): NamespaceRows {
    const found = this.#namespaces.get(namespace);
    if (found !== undefined) return found;
    const rows: NamespaceRows = { rows: new Map(), sortedNames: undefined };
    this.#namespaces.set(namespace, rows);
    this.#sortedNamespaces = undefined;
    return rows;
  }

  #namespaceOrder(): readonly string[] {
    this.#sortedNamespaces ??= [...this.#namespaces.keys()].sort((left, right) =>
      compareKeys(`${left}/`, `${right}/`),
    );
    return this.#sortedNamespaces;
  }

  #nameOrder(rows: NamespaceRows): readonly string[] {
    rows.sortedNames ??= [...rows.rows.keys()].sort(compareKeys);
    return rows.sortedNames;
  }
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

/** Names are ASCII, so that this is the order of bytes. */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function firstAfter(names: readonly string[], namespace: string, afterKey: string | undefined): number {
  if (afterKey === undefined) return 0;
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(`${namespace}/${names[middle]}`, afterKey) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
