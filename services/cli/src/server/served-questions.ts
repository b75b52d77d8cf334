import type { HoldFilter } from "@fleet-reloader/engine/overview/chosen-holds";
import type { RecordFilters } from "@fleet-reloader/redis/overview/recent-records";
import type { ActsFilter, AskedPlace, FleetQuestions } from "../questions/fleet-questions.ts";
import { allPages } from "./all-pages.ts";
import type { ApiClient } from "./api-client.ts";

/** Puts the questions to a server of the fleet. */
export class ServedQuestions implements FleetQuestions {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  now(): number {
    return this.#client.now();
  }

  async status(since: string) {
    return await this.#client.ask("status", { query: { since } });
  }

  async clusters(cluster: string) {
    const { elements } = await allPages({
      ask: (page) => this.#client.ask("clusters", { query: { cluster, ...page } }),
      elementsOf: ({ clusters }) => clusters,
    });
    return elements;
  }

  async changes({ since, cluster, namespace, name, change }: RecordFilters, limit: number) {
    const { elements, first } = await allPages({
      ask: (page) =>
        this.#client.ask("changes", { query: { since, cluster, namespace, name, change, ...page } }),
      elementsOf: ({ changes }) => changes,
      limit,
    });
    return { count: first.count, changes: elements, isCut: first.isCut };
  }

  async queue(since: string) {
    return await this.#client.ask("queue", { query: { since } });
  }

  async held({ cluster, namespace, reason }: HoldFilter, limit: number) {
    const { elements, first } = await allPages({
      ask: (page) => this.#client.ask("held", { query: { cluster, namespace, reason, ...page } }),
      elementsOf: ({ holds }) => holds,
      limit,
    });
    return { count: first.count, reasons: first.reasons, holds: elements };
  }

  async operators({ action, by, cluster, since, text }: ActsFilter, limit: number) {
    const { elements, first } = await allPages({
      ask: (page) => this.#client.ask("operators", { query: { action, by, cluster, since, text, ...page } }),
      elementsOf: ({ acts }) => acts,
      limit,
    });
    return { count: first.count, acts: elements, isCut: first.isCut };
  }

  async managed({ cluster, namespace }: AskedPlace, limit: number) {
    const { elements, first } = await allPages({
      ask: (page) => this.#client.ask("managed", { query: { cluster, namespace, ...page } }),
      elementsOf: ({ workloads }) => workloads,
      limit,
    });
    return { count: first.count, clusterCount: first.clusterCount, workloads: elements };
  }
}
