import { jsonField } from "@fleet-reloader/domain/json";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { ClusterId } from "../ports/request.ts";

/** The texts of all kept workloads together, in characters: some 1,000 Deployments. The oldest are dropped. */
const keptCharactersMax = 3 * 1024 * 1024;

/**
 * The workloads as the watches of this process showed them last. What is kept may be outdated: it is good for a write that depends on
 * its resourceVersion, and for nothing else. Kept as texts, without the status: as objects they would take four times the memory.
 */
export class ShownWorkloads {
  readonly #charactersMax: number;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(charactersMax: number = keptCharactersMax) {
    this.#charactersMax = charactersMax;
  }

  /** Keeps a workload of a kind whose roll needs no more than what is kept. */
  show(cluster: ClusterId, live: LiveWorkload, kind: WorkloadKind): void {
    if (kind.isTemplateRolled !== true) return;
    const key = shownKey(cluster, live.ref);
    this.#delete(key);
    const text = shownText(live);
    this.#texts.set(key, text);
    this.#characters += text.length;
    // A Map lists its keys in the order in which they were set.
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= this.#charactersMax) return;
      this.#delete(oldest);
    }
  }

  /** The workload as it was shown last; undefined where it is not kept. It is handed out once: after a write it is outdated. */
  take(cluster: ClusterId, ref: WorkloadRef, kind: WorkloadKind): LiveWorkload | undefined {
    const key = shownKey(cluster, ref);
    const text = this.#texts.get(key);
    this.#delete(key);
    return text === undefined ? undefined : shownLive(text, kind);
  }

  forget(cluster: ClusterId, ref: WorkloadRef): void {
    this.#delete(shownKey(cluster, ref));
  }

  #delete(key: string): void {
    this.#characters -= this.#texts.get(key)?.length ?? 0;
    this.#texts.delete(key);
  }
}

function shownKey(cluster: ClusterId, ref: WorkloadRef): string {
  return `${cluster}/${workloadKey(ref)}`;
}

/** The template is a part of the object: it is written once. */
function shownText(live: LiveWorkload): string {
  return JSON.stringify({
    ...live,
    template: undefined,
    object: { ...Object(live.object), status: undefined },
  });
}

function shownLive(text: string, { templatePath }: WorkloadKind): LiveWorkload {
  const kept: Omit<LiveWorkload, "template"> = JSON.parse(text);
  return { ...kept, template: jsonField(kept.object, ...templatePath) };
}
