import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source";
import type { ClusterId } from "@fleet-reloader/engine/request";

/**
 * Every Redis key name there is. All keys of a cluster carry the hash tag of its shard, so that index, checkpoint and queue
 * lie in one slot and Redis Cluster works. Kubernetes names hold neither `/` nor `:` nor braces, so the names are injective.
 */
export class Keys {
  /** One shard for now; the tag is in every key from the first day, so that a fleet can be spread later. */
  readonly #tag: string;

  constructor(prefix: string) {
    this.#tag = `{${prefix}:00}`;
  }

  get queuePrefix(): string {
    return this.#tag;
  }

  /** Key id of the HMAC key all workers of this Redis must share. */
  get markKeyId(): string {
    return `${this.#tag}:mark-key-id`;
  }

  /** Start of the burst a request belongs to; expires with the maximum wait. */
  firstChange(requestId: string): string {
    return `${this.#tag}:first:${requestId}`;
  }

  cluster(cluster: ClusterId): ClusterKeys {
    return new ClusterKeys(`${this.#tag}:c:${cluster}`);
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

  /** Hash: source key → version and keyed mark that were told last, in the mode that only tells. */
  get told(): string {
    return `${this.root}:told`;
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
