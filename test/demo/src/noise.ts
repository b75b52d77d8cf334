import type { Fleet } from "./fleet.ts";
import { busyConfigMap } from "./seeds/bystanders.ts";
import { clusterNames } from "./seeds/clusters.ts";

/** How often something that nobody uses is written on each cluster; the real autoscaler does it every 10 s. */
const everyMs = 250;

/** What goes on in a cluster all the time and concerns no workload. */
export class Noise implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #writes = 0;

  constructor(fleet: Fleet) {
    this.#timer = setInterval(() => {
      for (const cluster of clusterNames) {
        this.#writes += 1;
        const { namespace, name } = busyConfigMap;
        const by = { user: "cluster-autoscaler", manager: "cluster-autoscaler" };
        fleet[cluster].patch("ConfigMap", namespace, name, { data: { status: String(this.#writes) } }, by);
      }
    }, everyMs);
  }

  get writes(): number {
    return this.#writes;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
