import { setTimeout as wait } from "node:timers/promises";
import { ApiClient, type ApiTarget, apiPath } from "@fleet-reloader/testkit/api-client";
import { openWatch } from "@fleet-reloader/testkit/open-watch";
import type { Product } from "@fleet-reloader/testkit/product";

export interface PodOptions {
  readonly target: ApiTarget;
  readonly namespace: string;
  /** Of the pods that are run; others stay as they are. */
  readonly labelSelector: string;
  readonly start: () => Product;
}

/** One that has been started and has not ended. */
interface RunningPod {
  readonly process: Product;
  isLeaving: boolean;
}

/** Stands in for scheduler and kubelet: runs one process for each pod. */
export interface Pods extends AsyncDisposable {
  /** Processes that have not ended: those that are being stopped among them. */
  readonly processes: number;
  /** How often there was none and one was started. */
  readonly wakes: number;
}

/** As Kubernetes has it where a pod does not say. */
const graceSeconds = 30;

/**
 * Binds each new pod, starts its process, and tells when that is ready. When the pod is deleted the process gets SIGTERM and, after the
 * pod's grace period, SIGKILL; then the pod goes.
 */
export async function startPods(options: PodOptions): Promise<Pods> {
  const { labelSelector, namespace, target } = options;
  const kubelet = new Kubelet(options);
  const path = `${apiPath("Pod", namespace)}?watch=true&labelSelector=${encodeURIComponent(labelSelector)}`;
  const close = await openWatch(target, path, {
    event: ({ type, object }) => kubelet.see(type, readPod(object)),
    broken: (error) => kubelet.fail(error),
  });
  return {
    get processes() {
      return kubelet.processes;
    },
    get wakes() {
      return kubelet.wakes;
    },
    async [Symbol.asyncDispose]() {
      close();
      await kubelet.end();
    },
  };
}

class Kubelet {
  readonly #options: PodOptions;
  readonly #client: ApiClient;
  readonly #started: Product[] = [];
  readonly #running = new Map<string, RunningPod>();
  readonly #tasks = new Set<Promise<void>>();
  #wakes = 0;
  #problem: Error | undefined;
  #isEnding = false;

  constructor(options: PodOptions) {
    this.#options = options;
    this.#client = new ApiClient(options.target);
  }

  get processes(): number {
    this.#check();
    return this.#running.size;
  }

  get wakes(): number {
    this.#check();
    return this.#wakes;
  }

  see(type: string, pod: Pod): void {
    const isGoing = type === "DELETED" || pod.deletion !== undefined;
    const known = this.#running.get(pod.uid);
    if (known === undefined) {
      if (!isGoing && !this.#isEnding) this.#start(pod);
    } else if (isGoing && !known.isLeaving) {
      known.isLeaving = true;
      const left = leave(this.#client, this.#options.namespace, pod, known.process);
      this.#inBackground(left.finally(() => this.#running.delete(pod.uid)));
    }
  }

  /** Whoever asks next is told. */
  fail(error: unknown): void {
    if (!this.#isEnding) this.#problem ??= error instanceof Error ? error : new Error(String(error));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const { process } of this.#running.values()) process.signal("SIGKILL");
    await Promise.all(this.#tasks);
    for (const process of this.#started) await process[Symbol.asyncDispose]();
  }

  #start(pod: Pod): void {
    if (this.#running.size === 0) this.#wakes += 1;
    const process = this.#options.start();
    this.#running.set(pod.uid, { process, isLeaving: false });
    this.#started.push(process);
    this.#inBackground(serve(this.#client, this.#options.namespace, pod, process));
  }

  #inBackground(task: Promise<void>): void {
    const told: Promise<void> = task
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.#tasks.delete(told));
    this.#tasks.add(told);
  }

  #check(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }
}

interface Pod {
  readonly name: string;
  readonly uid: string;
  /** Undefined as long as nobody has deleted it. */
  readonly deletion: { readonly graceMs: number } | undefined;
}

function readPod(object: unknown): Pod {
  if (typeof object !== "object" || object === null || !("metadata" in object))
    throw new Error("an event of a watch has no pod");
  const metadata = new Map(Object.entries(Object(object.metadata)));
  const grace = Number(metadata.get("deletionGracePeriodSeconds") ?? graceSeconds);
  return {
    name: String(metadata.get("name")),
    uid: String(metadata.get("uid")),
    deletion: metadata.has("deletionTimestamp") ? { graceMs: grace * 1000 } : undefined,
  };
}

/** Scheduler, then kubelet. A pod that is gone meanwhile needs neither. */
async function serve(client: ApiClient, namespace: string, pod: Pod, process: Product): Promise<void> {
  const path = apiPath("Pod", namespace, pod.name);
  const bound = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: pod.name },
    target: { apiVersion: "v1", kind: "Node", name: "node" },
  };
  const { status } = await client.send("POST", `${path}/binding`, bound);
  if (status !== 201 && status !== 404) throw new Error(`${pod.name}: bound with ${status}`);
  const isReady = await Promise.race([
    process.ready().then(() => true),
    process.ended.then(() => false),
  ]).catch(() => false);
  if (!isReady) return;
  const conditions = ["Initialized", "PodScheduled", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: new Date().toISOString(),
  }));
  const ready = { phase: "Running", startTime: new Date().toISOString(), conditions };
  await client.send("PATCH", `${path}/status`, { status: ready }, "application/strategic-merge-patch+json");
}

async function leave(client: ApiClient, namespace: string, pod: Pod, process: Product): Promise<void> {
  process.signal("SIGTERM");
  const patience = new AbortController();
  const overdue = wait(pod.deletion?.graceMs ?? 0, true, { signal: patience.signal }).catch(() => false);
  const isOverdue = await Promise.race([overdue, process.ended.then(() => false)]);
  patience.abort();
  if (isOverdue) process.signal("SIGKILL");
  await process.ended;
  await client.send("DELETE", `${apiPath("Pod", namespace, pod.name)}?gracePeriodSeconds=0`);
}
