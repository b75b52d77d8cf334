/** Counts the bytes of bodies in memory, in total and per cluster. A cluster that sends much leaves room for the others. */
export class BodyBudget {
  readonly #totalMax: number;
  readonly #clusterMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: { readonly totalMax: number; readonly clusterMax: number }) {
    this.#totalMax = limits.totalMax;
    this.#clusterMax = limits.clusterMax;
  }

  /** False: there is no room for this many more bytes. */
  take(cluster: string, bytes: number): boolean {
    const held = this.#held.get(cluster) ?? 0;
    if (this.#total + bytes > this.#totalMax || held + bytes > this.#clusterMax) return false;
    this.#total += bytes;
    this.#held.set(cluster, held + bytes);
    return true;
  }

  release(cluster: string, bytes: number): void {
    const left = (this.#held.get(cluster) ?? 0) - bytes;
    this.#total -= bytes;
    if (left > 0) this.#held.set(cluster, left);
    else this.#held.delete(cluster);
  }
}
