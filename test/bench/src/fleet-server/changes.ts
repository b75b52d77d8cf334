import type { FleetChanges } from "./methods.ts";

interface Change {
  readonly cluster: number;
  readonly deployment: number;
  readonly at: number;
  rolledAt: number | undefined;
}

/** Which change waits for which roll: the server makes the changes and sees the PATCHes, so one clock times both. */
export class Changes {
  #changes: Change[] = [];
  #spurious: { readonly cluster: number; readonly deployment: number }[] = [];
  readonly #waiting = new Map<string, Change>();

  made(cluster: number, deployment: number): void {
    const change: Change = { cluster, deployment, at: performance.now(), rolledAt: undefined };
    this.#changes.push(change);
    this.#waiting.set(`${cluster}/${deployment}`, change);
  }

  rolled(cluster: number, deployment: number): void {
    const change = this.#waiting.get(`${cluster}/${deployment}`);
    if (change === undefined) this.#spurious.push({ cluster, deployment });
    else change.rolledAt = performance.now();
    this.#waiting.delete(`${cluster}/${deployment}`);
  }

  isWaiting(cluster: number, deployment: number): boolean {
    return this.#waiting.has(`${cluster}/${deployment}`);
  }

  countWaiting(clusters: ReadonlySet<number>): number {
    return [...this.#waiting.values()].filter(({ cluster }) => clusters.has(cluster)).length;
  }

  forget(): void {
    this.#changes = [];
    this.#spurious = [];
    this.#waiting.clear();
  }

  outcome(clusters: ReadonlySet<number>): FleetChanges {
    const mine = this.#changes.filter(({ cluster }) => clusters.has(cluster));
    const firstAt = Math.min(...mine.map(({ at }) => at));
    const rolled = mine.flatMap(({ at, rolledAt }) => (rolledAt === undefined ? [] : [{ at, rolledAt }]));
    const name = ({ cluster, deployment }: { cluster: number; deployment: number }) =>
      `${cluster}/${deployment}`;
    return {
      changes: mine.length,
      latenciesMs: rolled.map(({ at, rolledAt }) => rolledAt - at),
      rolledAtMs: rolled.map(({ rolledAt }) => rolledAt - firstAt),
      missed: mine.filter(({ rolledAt }) => rolledAt === undefined).map(name),
      spurious: this.#spurious.filter(({ cluster }) => clusters.has(cluster)).map(name),
    };
  }
}
