/** How long the pods of a new template take to be ready, and which workloads are stuck on purpose. */
export class RolloutPace {
  /** Changeable at any time; counts for rollouts that begin later. */
  rolloutMs: number;
  readonly #stalled = new Set<string>();
  readonly #readyAt = new Map<string, number>();
  readonly #onRelease: (kind: string, namespace: string, name: string) => void;

  constructor(rolloutMs: number, onRelease: (kind: string, namespace: string, name: string) => void) {
    this.rolloutMs = rolloutMs;
    this.#onRelease = onRelease;
  }

  /** From now on no pod of a new template of this workload gets ready. */
  stall(kind: string, namespace: string, name: string): void {
    this.#stalled.add(`${kind}/${namespace}/${name}`);
  }

  release(kind: string, namespace: string, name: string): void {
    this.#stalled.delete(`${kind}/${namespace}/${name}`);
    this.#onRelease(kind, namespace, name);
  }

  isStalled(kind: string, namespace: string, name: string): boolean {
    return this.#stalled.has(`${kind}/${namespace}/${name}`);
  }

  /** Milliseconds until the pods of this revision are ready; the first call starts them. */
  remainingMs(revision: string): number {
    const now = performance.now();
    const readyAt = this.#readyAt.get(revision) ?? now + this.rolloutMs;
    this.#readyAt.set(revision, readyAt);
    return Math.max(0, readyAt - now);
  }

  /** The rollout is through: the same revision would have to start anew. */
  done(revision: string): void {
    this.#readyAt.delete(revision);
  }
}
