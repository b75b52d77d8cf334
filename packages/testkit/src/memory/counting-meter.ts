import type { Meter } from "@fleet-reloader/engine/ports/meter";

/** A meter that counts what it is told, by sentence and labels: `rolled c1 Deployment SourceChanged`. */
export class CountingMeter implements Meter {
  readonly #counts = new Map<string, number>();

  count(sentence: string): number {
    return this.#counts.get(sentence) ?? 0;
  }

  get sentences(): readonly string[] {
    return [...this.#counts.keys()].sort();
  }

  sourcesSeen(cluster: string, kind: string, count: number, how: string): void {
    this.#add(`${how} ${cluster} ${kind}`, count);
  }

  sourcesCompared(cluster: string, kind: string, count: number): void {
    this.#add(`compared ${cluster} ${kind}`, count);
  }

  requestsPublished(cluster: string, count: number): void {
    this.#add(`published ${cluster}`, count);
  }

  streamState(cluster: string, resource: string, state: string): void {
    this.#add(`stream ${cluster} ${resource} ${state}`, 1);
  }

  freezesReadable(isReadable: boolean): void {
    this.#counts.set("freezes readable", isReadable ? 1 : 0);
  }

  workloadsUnreconciled(cluster: string, count: number | undefined): void {
    if (count === undefined) this.#counts.delete(`unlooked ${cluster}`);
    else this.#counts.set(`unlooked ${cluster}`, count);
  }

  reconciled(cluster: string, result: string): void {
    this.#add(`reconciled ${cluster} ${result}`, 1);
  }

  rolled(cluster: string, { kind }: { readonly kind: string }, reasons: readonly string[]): void {
    for (const reason of reasons) this.#add(`rolled ${cluster} ${kind} ${reason}`, 1);
  }

  rollFailed(cluster: string, { kind }: { readonly kind: string }): void {
    this.#add(`roll failed ${cluster} ${kind}`, 1);
  }

  stageReached(cluster: string, stage: string): void {
    this.#add(`stage ${cluster} ${stage}`, 1);
  }

  rolloutEnded(cluster: string, workloadKind: string, result: string): void {
    this.#add(`rollout ${cluster} ${workloadKind} ${result}`, 1);
  }

  historyKept(result: string, count: number): void {
    this.#add(`history ${result}`, count);
  }

  held(cluster: string, reason: string): void {
    this.#add(`held ${cluster} ${reason}`, 1);
  }

  stateLost(cluster: string): void {
    this.#add(`lost ${cluster}`, 1);
  }

  parked(cluster: string, reason: string): void {
    this.#add(`parked ${cluster} ${reason}`, 1);
  }

  breaker(cluster: string, isOpen: boolean): void {
    this.#add(`breaker ${cluster} ${isOpen ? "open" : "closed"}`, 1);
  }

  auditFound(cluster: string, workloadKind: string): void {
    this.#add(`audit found ${cluster} ${workloadKind}`, 1);
  }

  auditRequest(cluster: string, result: string): void {
    this.#add(`audit request ${cluster} ${result}`, 1);
  }

  auditEvents(cluster: string, result: string, count: number): void {
    this.#add(`audit events ${cluster} ${result}`, count);
  }

  hintsMissed(cluster: string, count: number): void {
    this.#add(`hints missed ${cluster}`, count);
  }

  clusterState(cluster: string, state: string | undefined): void {
    this.#add(`cluster ${cluster} ${state ?? "Gone"}`, 1);
  }

  notified(channel: string, result: string, count: number): void {
    this.#add(`notified ${channel} ${result}`, count);
  }

  registrations(provider: string, state: string, count: number): void {
    this.#counts.set(`registrations ${provider} ${state}`, count);
  }

  clustersOwned(count: number): void {
    this.#counts.set("owned", count);
  }

  #add(sentence: string, count: number): void {
    this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + count);
  }
}
