import type { ResourceType } from "../objects/resource-types.ts";

export type WriteVerb = "create" | "update" | "patch" | "apply" | "delete";

/** One mutation that the server accepted, its own controllers' included. */
export interface WriteRecord {
  /** `performance.now()` in ms, to measure with. */
  readonly at: number;
  readonly date: Date;
  readonly verb: WriteVerb;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly fieldManager: string;
  /** After the write. */
  readonly resourceVersion: string;
  /** false: accepted, and nothing was different. */
  readonly changed: boolean;
  /** The pod template of an existing workload became another one: the pods roll. */
  readonly templateChanged: boolean;
}

/** Append-only: who changed what, when; the judge of "no spurious roll". */
export class WriteLog {
  #records: WriteRecord[] = [];
  readonly #templateChanges = new Map<string, number>();

  get records(): readonly WriteRecord[] {
    return this.#records;
  }

  add(type: ResourceType, write: Omit<WriteRecord, "at" | "date" | "resource" | "kind">): void {
    this.#records.push({
      at: performance.now(),
      date: new Date(),
      resource: type.plural,
      kind: type.kind,
      ...write,
    });
    if (!write.templateChanged) return;
    const key = `${type.kind}/${write.namespace}/${write.name}`;
    this.#templateChanges.set(key, (this.#templateChanges.get(key) ?? 0) + 1);
  }

  templateChanges(kind: string, namespace: string, name: string): number {
    return this.#templateChanges.get(`${kind}/${namespace}/${name}`) ?? 0;
  }

  reset(): void {
    this.#records = [];
    this.#templateChanges.clear();
  }
}
