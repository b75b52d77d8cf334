import type { ApiQuery } from "@fleet-reloader/contracts/api/api-routes";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { operatorActs } from "@fleet-reloader/engine/act/operator-acts";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { activityOfName } from "@fleet-reloader/engine/overview/activity/activity-of-name";
import { fleetActivity } from "@fleet-reloader/engine/overview/activity/fleet-activity";
import { countByReason } from "@fleet-reloader/engine/overview/by-reason";
import type { ChangeSummary } from "@fleet-reloader/engine/overview/changes/change-summary";
import { chosenHolds, explainHolds } from "@fleet-reloader/engine/overview/chosen-holds";
import { clusterHealth } from "@fleet-reloader/engine/overview/cluster-health";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { fleetStatus } from "@fleet-reloader/engine/overview/fleet-status";
import { freezesInForce } from "@fleet-reloader/engine/overview/freezes-in-force";
import { queueDigest } from "@fleet-reloader/engine/overview/queue-digest";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import {
  chosenClusters,
  listManaged,
  managedWorkloads,
  servedClusters,
} from "@fleet-reloader/engine/overview/registered-clusters";
import {
  type ChangesReader,
  type RecordFilters,
  recentActs,
  recentChanges,
  recentRecords,
  recentSince,
} from "@fleet-reloader/redis/overview/recent-records";
import { asTheyAre, fitting, type Page, type PagedList } from "./page.ts";

/** The sources of the answers about a fleet. */
export interface FleetRoutesOptions {
  readonly overview: FleetOverview;
  readonly reader: ChangesReader;
  /** The clock of Redis. */
  readonly clock: Clock;
  /** Whether the answers contain counts over everything, which cannot be divided. */
  readonly seesAll: boolean;
}

/** Returns the page of a list that the query asks for. */
export type TakePage = <T, W>(list: PagedList<T, W>) => Promise<Page<W>>;

/** Maximum size of each list in a status, in bytes: three of them fit into an answer. */
const statusListBytesMax = 60 * 1024;
/** Maximum size of the freezes beside a page of holds, in bytes. */
const heldFreezesBytesMax = 30 * 1024;
/** Maximum elements of a list in a status: as many as a person reads at once. */
const statusListMax = 50;

/** The answers about a fleet that need only Redis. */
export class FleetRoutes {
  readonly #options: FleetRoutesOptions;
  readonly #history: Pick<FleetRoutesOptions, "clock" | "reader">;

  constructor(options: FleetRoutesOptions) {
    this.#options = options;
    this.#history = { clock: options.clock, reader: options.reader };
  }

  async status({ since = "" }: ApiQuery<"status">, signal: AbortSignal) {
    const { clock, overview, seesAll } = this.#options;
    const { changes: its, isCut } = await recentChanges(this.#history, ofAllPlaces(since), signal);
    const how = { nowMs: clock.now(), seesAll };
    const { clusters, queue, held, freezeCount, freezes, unreadableFreezes, changes } = await fleetStatus(
      overview,
      its.summaries(),
      how,
    );
    const { count, sickCount, sick, workloads } = clusters;
    const { openCount, openWorkloads, open } = changes;
    return {
      clusters: { count, sickCount, workloads, sick: firstOnes(sick) },
      queue: seesAll ? queue : undefined,
      held,
      freezeCount,
      freezes: firstOnes(freezes),
      unreadableFreezes,
      changes: { count: changes.count, openCount, openWorkloads, open: firstOnes(open.map(shownChange)) },
      isCut,
    };
  }

  async clusters({ cluster = "" }: ApiQuery<"clusters">, take: TakePage) {
    const chosen = await chosenClusters(this.#options.overview, cluster);
    const health = clusterHealth(chosen, await this.#options.overview.holds());
    const { count, elements, next } = await take({
      all: health,
      keyOf: ({ name, id = "" }) => [name, id],
      write: asTheyAre,
    });
    return { count, clusters: elements, next };
  }

  async changes(query: ApiQuery<"changes">, take: TakePage, signal: AbortSignal) {
    const { since = "", cluster = "", namespace = "", name = "", change = "" } = query;
    // The history has clusters that are no longer registered, so an unknown name is no mistake.
    const place = { since, cluster, namespace };
    const { changes, isCut } = await recentChanges(this.#history, place, signal);
    const { count, elements, next } = await take({
      all: changes.summaries({ namespace, name, change }),
      keyOf: ({ id }) => [id],
      write: (summaries) => summaries.map(shownChange),
    });
    return { count, changes: elements, isCut, next };
  }

  async change(id: string, { since = "" }: ApiQuery<"change">, take: TakePage, signal: AbortSignal) {
    // All changes: the id may be that of the change in one cluster, and a rollout may end with the id of a newer change.
    const { changes, isCut } = await recentChanges(this.#history, ofAllPlaces(since), signal);
    const found = changes.details(id);
    if (found === undefined)
      throw refusedQuestion({
        field: "change",
        value: id,
        problem: `change: the history since ${since || recentSince} has none with this id`,
        mend: "give an earlier since",
      });
    const { count, elements, next } = await take({
      all: found.workloads,
      keyOf: ({ cluster, workload }) => [cluster, workloadKey(workload)],
      write: asTheyAre,
    });
    return { change: shownChange(found.change), count, workloads: elements, isCut, next };
  }

  async held({ cluster = "", namespace = "", reason = "" }: ApiQuery<"held">, take: TakePage) {
    const { overview, clock, seesAll } = this.#options;
    const { holds: all, clusters } = await chosenHolds(overview, { cluster, namespace, reason });
    const nowMs = clock.now();
    const managed = seesAll ? (id: string) => overview.managed(id) : undefined;
    const freezes = await freezesInForce(await overview.freezes(), { clusters, managed, nowMs });
    const { count, elements, next } = await take({
      all,
      keyOf: ({ id }) => [id],
      // Explains only the holds of this page: each may cost a read of Redis.
      write: (holds) => explainHolds({ holds, clusters }, overview, nowMs),
    });
    return {
      count,
      reasons: countByReason(all),
      freezeCount: freezes.length,
      freezes: firstOnes(freezes, heldFreezesBytesMax),
      unreadableFreezes: await overview.unreadableFreezes(),
      holds: elements,
      next,
    };
  }

  async operators(query: ApiQuery<"operators">, take: TakePage, signal: AbortSignal) {
    const { action = "", by = "", cluster = "", since = "", text = "" } = query;
    const { records, isCut } = await recentActs(this.#history, { since, cluster }, signal);
    const { count, elements, next } = await take({
      all: operatorActs(records, { action, by, text }),
      keyOf: ({ id }) => [id],
      write: asTheyAre,
    });
    return { count, acts: elements, isCut, next };
  }

  async managed({ cluster = "", namespace = "" }: ApiQuery<"managed">, take: TakePage) {
    const { all, clusterCount } = await this.#managed({ cluster, namespace });
    const { count, elements, next } = await take({
      all,
      keyOf: ({ cluster: name, ref }) => [name, workloadKey(ref)],
      write: asTheyAre,
    });
    return { count, clusterCount, workloads: elements, next };
  }

  /** There may be a hundred thousand workloads, so only the wanted page is read. */
  async #managed(place: Readonly<Record<"cluster" | "namespace", string>>) {
    const { overview, seesAll } = this.#options;
    if (!seesAll || place.namespace !== "") {
      const { clusterCount, workloads } = await managedWorkloads(overview, place);
      return { clusterCount, all: workloads };
    }
    const clusters = await servedClusters(overview, place.cluster);
    return { clusterCount: clusters.length, all: listManaged(clusters, overview) };
  }

  async activity(query: ApiQuery<"activity">, signal: AbortSignal) {
    const { since = "", cluster = "", namespace = "", name = "" } = query;
    // All names: the end of a roll for one source may be in a record that names another.
    const filters = { since, cluster, namespace, name: "", change: "" };
    const { records, sinceMs, isCut } = await recentRecords(this.#history, filters, signal);
    const its = name === "" ? records : activityOfName(records, name);
    const { slotMs, slots } = fleetActivity(its, { fromMs: sinceMs, toMs: this.#options.clock.now() });
    const written = slots.map(({ fromMs, ...rest }) => ({ from: new Date(fromMs).toISOString(), ...rest }));
    return { slotMs, slots: written, isCut };
  }

  async queue({ since = "" }: ApiQuery<"queue">, signal: AbortSignal) {
    const { changes, isCut } = await recentChanges(this.#history, ofAllPlaces(since), signal);
    const { queue, held, failed } = await queueDigest(this.#options.overview, changes.unsuccessful());
    return { queue: this.#options.seesAll ? queue : undefined, held, failed, isCut };
  }
}

/** The same time range, for all clusters and namespaces. */
function ofAllPlaces(since: string): Pick<RecordFilters, "since" | "cluster" | "namespace"> {
  return { since, cluster: "", namespace: "" };
}

/** Maximum cluster names of a change: a thousand would leave no room in an answer. */
const changeClustersMax = 20;

function shownChange(change: ChangeSummary): ChangeSummary {
  return Object.assign({}, change, { clusters: change.clusters.slice(0, changeClustersMax) });
}

function firstOnes<T>(all: readonly T[], bytesMax = statusListBytesMax): readonly T[] {
  return fitting(all.slice(0, statusListMax), bytesMax);
}
