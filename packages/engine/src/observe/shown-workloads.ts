import { jsonField } from "@fleet-reloader/domain/json";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock } from "../async/clock.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import { type ClusterId, requestKey } from "../ports/request.ts";
import { ShownRollouts } from "./shown-rollouts.ts";

/** The texts of all kept workloads together, in characters of a byte: some 1,700 Deployments, or 5,000 with packed ones. */
const keptCharactersMax = 8 * 1024 * 1024;
/** Beyond this share of the room texts are packed. Until then no time is spent on that. */
const packedFrom = 0.5;
/** Beyond this share the room counts as full, so that no text is made in vain. */
const fullFrom = 0.99;

/** Makes texts smaller. */
export interface TextPacking {
  pack(text: string): string;
  /** The text that was packed here. */
  unpack(packed: string): string;
}

/** A kept workload. The fields that a status update changes lie beside its text. */
interface Kept {
  readonly text: string;
  readonly isPacked: boolean;
  readonly print: number | undefined;
  resourceVersion: string;
  writtenAtSeconds: number;
}

/**
 * The workloads as the watches of this process last showed them. They may be outdated: use them only for a write that depends on their
 * resourceVersion. Kept as texts, without the status: objects would take four times the memory.
 */
export class ShownWorkloads {
  /** The rollouts of this process's own rolls. */
  readonly rollouts: ShownRollouts;
  readonly #packing: TextPacking;
  readonly #charactersMax: number;
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(
    clock: Pick<Clock, "monotonic">,
    packing: TextPacking,
    charactersMax: number = keptCharactersMax,
  ) {
    this.rollouts = new ShownRollouts(clock);
    this.#packing = packing;
    this.#charactersMax = charactersMax;
  }

  /**
   * Keeps a workload while there is room, if a roll of its kind needs no more than the kept fields. A change of many workloads asks for
   * all of them in turn: if they do not all fit, dropping the oldest would lose each just before it is asked for. States of a workload
   * with equal prints differ only in the status, which is not kept. Undefined: it may differ from every other state.
   */
  show(cluster: ClusterId, live: LiveWorkload, kind: WorkloadKind, print?: number): void {
    this.rollouts.show(cluster, live, kind);
    if (kind.isTemplateRolled !== true) return;
    const key = requestKey({ cluster, workload: live.ref });
    const { resourceVersion, writtenAtSeconds } = live;
    const before = this.#kept.get(key);
    if (before !== undefined && print !== undefined && before.print === print) {
      before.resourceVersion = resourceVersion;
      before.writtenAtSeconds = writtenAtSeconds;
      return;
    }
    this.#delete(key);
    if (this.#characters > fullFrom * this.#charactersMax) return;
    const whole = shownText(live);
    const isPacked = this.#characters + whole.length > packedFrom * this.#charactersMax;
    const text = isPacked ? this.#packing.pack(whole) : whole;
    if (this.#characters + text.length > this.#charactersMax) return;
    this.#kept.set(key, { text, isPacked, print, resourceVersion, writtenAtSeconds });
    this.#characters += text.length;
  }

  /** The workload as it was last shown; undefined if it is not kept. It is handed out once: after a write it is outdated. */
  take(cluster: ClusterId, ref: WorkloadRef, kind: WorkloadKind): LiveWorkload | undefined {
    const key = requestKey({ cluster, workload: ref });
    const kept = this.#kept.get(key);
    this.#delete(key);
    if (kept === undefined) return undefined;
    const text = kept.isPacked ? this.#packing.unpack(kept.text) : kept.text;
    return shownLive({ ...kept, text }, kind);
  }

  forget(cluster: ClusterId, ref: WorkloadRef): void {
    this.rollouts.forget(cluster, ref);
    this.#delete(requestKey({ cluster, workload: ref }));
  }

  /** The cluster is no longer watched, so its workloads only take the room of others. */
  leave(cluster: ClusterId): void {
    const prefix = `${cluster}/`;
    this.rollouts.leave(cluster);
    for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#delete(key);
  }

  #delete(key: string): void {
    this.#characters -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }
}

/** Template and annotations are parts of the object, so they are stored once. */
function shownText(live: LiveWorkload): string {
  const object = { ...Object(live.object), status: undefined };
  const parts = {
    ...live,
    template: undefined,
    templateAnnotations: undefined,
    annotations: undefined,
    object,
  };
  return JSON.stringify(parts);
}

function shownLive(kept: Kept, { templatePath }: WorkloadKind): LiveWorkload {
  const parts: Omit<LiveWorkload, "annotations" | "template" | "templateAnnotations"> = JSON.parse(kept.text);
  const { object } = parts;
  return {
    ...parts,
    resourceVersion: kept.resourceVersion,
    writtenAtSeconds: kept.writtenAtSeconds,
    annotations: annotationsIn(jsonField(object, "metadata", "annotations")),
    template: jsonField(object, ...templatePath),
    templateAnnotations: annotationsIn(jsonField(object, ...templatePath, "metadata", "annotations")),
  };
}

function annotationsIn(annotations: unknown): Annotations {
  const entries = Object.entries(Object(annotations));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
