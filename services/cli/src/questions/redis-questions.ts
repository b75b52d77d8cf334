import {
  changesAnswer,
  clustersAnswer,
  heldAnswer,
  managedAnswer,
  operatorsAnswer,
  queueAnswer,
  statusAnswer,
} from "@fleet-reloader/contracts/api/fleet-answers";
import { operatorActs } from "@fleet-reloader/engine/act/operator-acts";
import { countByReason } from "@fleet-reloader/engine/overview/by-reason";
import { chosenHolds, explainHolds, type HoldFilter } from "@fleet-reloader/engine/overview/chosen-holds";
import { clusterHealth } from "@fleet-reloader/engine/overview/cluster-health";
import { fleetStatus } from "@fleet-reloader/engine/overview/fleet-status";
import { queueDigest } from "@fleet-reloader/engine/overview/queue-digest";
import { chosenClusters, managedWorkloads } from "@fleet-reloader/engine/overview/registered-clusters";
import { type RecordFilters, recentActs, recentChanges } from "@fleet-reloader/redis/overview/recent-records";
import type { FleetRedis } from "../redis/fleet-redis.ts";
import type { ActsFilter, AskedPlace, FleetQuestions } from "./fleet-questions.ts";

const changesShown = changesAnswer.pick({ count: true, changes: true, isCut: true });
const holdsShown = heldAnswer.pick({ count: true, reasons: true, holds: true });
const actsShown = operatorsAnswer.pick({ count: true, acts: true, isCut: true });
const managedShown = managedAnswer.pick({ count: true, clusterCount: true, workloads: true });

/** Puts the questions to the Redis of a fleet. Nothing is left out of a list. */
export class RedisQuestions implements FleetQuestions {
  readonly #redis: Pick<FleetRedis, "clock" | "overview" | "reader">;

  constructor(redis: Pick<FleetRedis, "clock" | "overview" | "reader">) {
    this.#redis = redis;
  }

  now(): number {
    return this.#redis.clock.now();
  }

  async status(since: string) {
    const { changes, isCut } = await this.#changesSince(since);
    const { clock, overview } = this.#redis;
    const how = { nowMs: clock.now(), seesAll: true };
    const status = await fleetStatus(overview, changes.summaries(), how);
    return statusAnswer.parse(Object.assign({}, status, { isCut }));
  }

  async clusters(cluster: string) {
    const { overview } = this.#redis;
    const chosen = await chosenClusters(overview, cluster);
    return clustersAnswer.shape.clusters.parse(clusterHealth(chosen, await overview.holds()));
  }

  async changes({ since, cluster, namespace, name, change }: RecordFilters, limit: number) {
    const { changes, isCut } = await recentChanges(this.#redis, { since, cluster, namespace });
    const all = changes.summaries({ namespace, name, change });
    return changesShown.parse({ count: all.length, changes: all.slice(0, limit), isCut });
  }

  async queue(since: string) {
    const { changes, isCut } = await this.#changesSince(since);
    const { failed, held, queue } = await queueDigest(this.#redis.overview, changes.unsuccessful());
    return queueAnswer.parse({ queue, held, failed, isCut });
  }

  async held(filter: HoldFilter, limit: number) {
    const { clock, overview } = this.#redis;
    const { holds: wanted, clusters } = await chosenHolds(overview, filter);
    const holds = await explainHolds({ holds: wanted.slice(0, limit), clusters }, overview, clock.now());
    return holdsShown.parse({ count: wanted.length, reasons: countByReason(wanted), holds });
  }

  async operators({ action, by, cluster, since, text }: ActsFilter, limit: number) {
    const { records, isCut } = await recentActs(this.#redis, { since, cluster });
    const all = operatorActs(records, { action, by, text });
    return actsShown.parse({ count: all.length, acts: all.slice(0, limit), isCut });
  }

  async managed(place: AskedPlace, limit: number) {
    const { clusterCount, workloads } = await managedWorkloads(this.#redis.overview, place);
    return managedShown.parse({
      count: workloads.length,
      clusterCount,
      workloads: workloads.slice(0, limit),
    });
  }

  async #changesSince(since: string) {
    return await recentChanges(this.#redis, { since, cluster: "", namespace: "" });
  }
}
