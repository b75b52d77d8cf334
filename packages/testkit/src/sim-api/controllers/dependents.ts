import { stringAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import type { ObjectStore, StoredChange } from "../store/store.ts";

interface Dependent {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** Which objects name whom as their owner, kept up to date with the store. */
export class Dependents {
  readonly #store: ObjectStore;
  readonly #stopListening: () => void;
  readonly #byOwner = new Map<string, Map<string, Dependent>>();

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#stopListening = store.onChange((change) => this.#note(change));
  }

  stop(): void {
    this.#stopListening();
  }

  of(
    ownerUid: string,
    type?: ResourceType,
  ): readonly { readonly type: ResourceType; readonly object: KubeObject }[] {
    const found = [...(this.#byOwner.get(ownerUid)?.values() ?? [])];
    return found
      .filter((dependent) => type === undefined || dependent.type === type)
      .flatMap((dependent) => {
        const object = this.#store.get(dependent.type, dependent.namespace, dependent.name);
        return object === undefined ? [] : [{ type: dependent.type, object }];
      });
  }

  /** Starts over from what is stored: after the store went back in time. */
  rebuild(types: readonly ResourceType[]): void {
    this.#byOwner.clear();
    for (const type of types) {
      for (const object of this.#store.scan(type)) {
        const { namespace = "", name } = object.metadata;
        this.#note({ type, namespace, name, version: 0, before: undefined, after: object });
      }
    }
  }

  #note({ type, namespace, name, before, after }: StoredChange): void {
    if (before?.metadata.ownerReferences === after?.metadata.ownerReferences) return;
    const key = `${type.plural}/${namespace}/${name}`;
    for (const uid of ownerUids(before)) this.#byOwner.get(uid)?.delete(key);
    for (const uid of ownerUids(after)) {
      const dependents = this.#byOwner.get(uid) ?? new Map();
      this.#byOwner.set(uid, dependents.set(key, { type, namespace, name }));
    }
    // An owner that is gone needs no entry once its last dependent went.
    for (const uid of ownerUids(before)) if (this.#byOwner.get(uid)?.size === 0) this.#byOwner.delete(uid);
  }
}

export function ownerUids(object: KubeObject | undefined): readonly string[] {
  return (object?.metadata.ownerReferences ?? []).flatMap((reference) => stringAt(reference, "uid") ?? []);
}
