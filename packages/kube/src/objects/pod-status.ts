import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import { isOlderVersion } from "@fleet-reloader/domain/resource-version";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import { seconds, text } from "../json.ts";

/** One per pod and class, written by the Secrets Store CSI driver: the versions the pod's volume shows. */
export const podStatusKind = {
  apiKind: "SecretProviderClassPodStatus",
  group: "secrets-store.csi.x-k8s.io",
  version: "v1",
  plural: "secretproviderclasspodstatuses",
  isOptional: true,
} as const;

export interface PodStatus {
  /** The class whose content it shows. */
  readonly source: SourceRef;
  readonly resourceVersion: string;
  /** When its objects last changed. Other writes, for example of a label, do not count. */
  readonly changedAtSeconds: number;
  /** Its objects have changed since the pod mounted them. */
  readonly isModified: boolean;
  /** Each object's id and version, by id. */
  readonly objects: readonly (readonly [id: string, version: string])[];
}

/** A pod status as a stream shows it. */
export interface SeenPodStatus {
  /** `namespace/name`. */
  readonly key: string;
  readonly shown: PodStatus | undefined;
}

/** Undefined only for an object without a name. A status that shows nothing any more replaces what its key showed before. */
export function seenPodStatus(object: unknown): SeenPodStatus | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  return namespace === "" || name === ""
    ? undefined
    : { key: `${namespace}/${name}`, shown: podStatus(object) };
}

/** Undefined when the status names no class, and when it has no objects (yet). */
export function podStatus(object: unknown): PodStatus | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "status", "secretProviderClassName");
  const objects = jsonList(object, "status", "objects")
    .map((each) => [text(each, "id"), text(each, "version")] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (namespace === "" || name === "" || objects.length === 0) return undefined;
  const changedAtSeconds = changedAt(object);
  return {
    source: { kind: "SecretProviderClass", namespace, name },
    resourceVersion: text(object, "metadata", "resourceVersion"),
    changedAtSeconds,
    // The driver writes the whole status. Each write of a custom resource raises its generation, except a write of metadata alone.
    isModified:
      Number(jsonField(object, "metadata", "generation") ?? 1) > 1 ||
      changedAtSeconds > seconds(object, "metadata", "creationTimestamp"),
    objects,
  };
}

function changedAt(object: unknown): number {
  const times = jsonList(object, "metadata", "managedFields")
    .filter((entry) => jsonField(entry, "fieldsV1", "f:status", "f:objects") !== undefined)
    .map((entry) => seconds(entry, "time"));
  return Math.max(seconds(object, "metadata", "creationTimestamp"), ...times);
}

/**
 * The status that shows the content as it is now. During a rotation the statuses of the pods differ. The status whose objects changed
 * last is ahead, and the others follow.
 */
export function newestOf<T extends Pick<PodStatus, "changedAtSeconds" | "resourceVersion">>(
  statuses: Iterable<T>,
): T | undefined {
  let newest: T | undefined;
  for (const status of statuses) if (newest === undefined || isOlder(newest, status)) newest = status;
  return newest;
}

/** Whether a pod may show content that differs from its volume at its start, or from other pods. */
export function isRotated(statuses: readonly PodStatus[]): boolean {
  const [first] = statuses;
  return statuses.some((status) => status.isModified || String(status.objects) !== String(first?.objects));
}

type Age = Pick<PodStatus, "changedAtSeconds" | "resourceVersion">;

function isOlder(a: Age, b: Age): boolean {
  if (a.changedAtSeconds !== b.changedAtSeconds) return a.changedAtSeconds < b.changedAtSeconds;
  return isOlderVersion(a.resourceVersion, b.resourceVersion);
}

/**
 * Turns the pod statuses of a list or watch into versions of their classes: the version of a class is that of its newest status. It
 * keeps the version at which the objects of each status last changed, so that a label on a status is no change. A status that is
 * deleted with its pod changes nothing for the class.
 */
export class PodStatusHandler implements StreamHandler<SeenPodStatus> {
  readonly #handler: StreamHandler<SourceVersion>;
  readonly #known = new Map<string, PodStatus>();
  #listed = new Set<string>();

  constructor(handler: StreamHandler<SourceVersion>) {
    this.#handler = handler;
  }

  listBegins(): void {
    this.#listed = new Set();
    this.#handler.listBegins();
  }

  async page(statuses: readonly SeenPodStatus[]): Promise<void> {
    for (const status of statuses) {
      if (status.shown !== undefined) this.#listed.add(status.key);
      this.#remember(status);
    }
  }

  async listed(): Promise<void> {
    for (const key of this.#known.keys()) if (!this.#listed.has(key)) this.#known.delete(key);
    await this.#handler.page(this.#versions([...this.#known.values()].map(({ source }) => source)));
    await this.#handler.listed();
  }

  async events(events: readonly StreamEvent<SeenPodStatus>[]): Promise<void> {
    for (const { type, object } of events) {
      if (type === "delete") this.#known.delete(object.key);
      else this.#remember(object);
    }
    const upserts = events.flatMap(({ type, object: { shown }, isNew }) =>
      type === "upsert" && shown !== undefined ? [{ shown, isNew }] : [],
    );
    const created = new Set(upserts.filter(({ isNew }) => isNew).map(({ shown }) => shown.resourceVersion));
    const changed = this.#versions(upserts.map(({ shown }) => shown.source)).map(
      (object): StreamEvent<SourceVersion> =>
        created.has(object.resourceVersion)
          ? { type: "upsert", object, isNew: true }
          : { type: "upsert", object },
    );
    if (changed.length > 0) await this.#handler.events(changed);
  }

  #remember({ key, shown }: SeenPodStatus): void {
    const before = this.#known.get(key);
    if (shown === undefined) this.#known.delete(key);
    else if (before === undefined || identity(before) !== identity(shown)) this.#known.set(key, shown);
  }

  /** Each class once, with the version of its newest status. */
  #versions(sources: readonly SourceRef[]): readonly SourceVersion[] {
    const byClass = Map.groupBy(this.#known.values(), ({ source }) => classKey(source));
    return [...new Set(sources.map(classKey))].flatMap((key) => {
      const newest = newestOf(byClass.get(key) ?? []);
      return newest === undefined ? [] : [{ ref: newest.source, resourceVersion: newest.resourceVersion }];
    });
  }
}

function classKey({ namespace, name }: SourceRef): string {
  return `${namespace}/${name}`;
}

function identity({ source, objects }: PodStatus): string {
  return JSON.stringify([source.name, objects]);
}
