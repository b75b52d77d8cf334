import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import type { AnnotationView } from "@fleet-reloader/engine/admission/hold-check";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { type Part, rightsFor } from "@fleet-reloader/kube/fleet/rights";
import { RedisIncumbents } from "@fleet-reloader/redis/ownership/redis-incumbents";
import type { RedisOwnership } from "@fleet-reloader/redis/ownership/redis-ownership";
import { callLimit } from "@fleet-reloader/runtime/config/fields/limit-fields";
import { type GivenScope, givenScope } from "@fleet-reloader/runtime/config/given-scope";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { DeflatedText } from "@fleet-reloader/runtime/process/deflated-text";
import type { Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { uniqueInstanceName, userAgent } from "@fleet-reloader/runtime/process/version";
import { type ServedFreezes, serveFreezes } from "../freezes.ts";
import { eventSourceOf } from "../hints/event-source.ts";
import type { WatchParts } from "../watches/parts.ts";
import type { Scaling } from "../watches/scaling.ts";
import type { WebhookMode } from "../watches/webhook-mode.ts";
import type { Connections } from "./connections.ts";
import type { ProcessConfig, ProcessSpec, Watches } from "./process-spec.ts";

/** The parts of a process that work with its clusters. Nothing is connected yet. */
export interface Clusters {
  readonly settings: Settings;
  readonly fleet: Fleet;
  readonly served: ServedFreezes;
  /** Workloads that the watches show, for the worker in the same process. Undefined: the process does not both watch and work. */
  readonly shown: ShownWorkloads | undefined;
  /** Undefined: the process watches nothing. */
  readonly watched: Watched | undefined;
}

export interface Watched {
  readonly watching: ReturnType<WatchParts["createWatching"]>;
  readonly scaling: Scaling;
  readonly gone: ReturnType<WatchParts["createGoneClusters"]>;
  /** Undefined: no other process watches. */
  readonly ownership: RedisOwnership | undefined;
  /** The name of this process among the others. */
  readonly member: string;
  /** Publishes the status of the watched clusters. Resolves when the signal is aborted. */
  report(signal: AbortSignal): Promise<void>;
}

/** Creates what watches, reads and writes clusters. Nothing here waits for Redis or for a cluster. */
export async function openClusters(
  spec: ProcessSpec,
  connections: Connections,
  shutdown: Shutdown,
): Promise<Clusters> {
  const { config, sources, watches } = spec;
  const { client, clock, keyring, keys, log, meter, random } = connections;
  const mode =
    watches === undefined ? undefined : await openMode(watches, config, { keyring, log, meter, random });
  if (mode !== undefined) shutdown.add("webhook", () => mode.stop());
  // Webhook mode watches and rolls no workloads.
  const settings =
    config.webhookUrl === undefined ? settingsOf(config) : { ...settingsOf(config), workloadKinds: [] };
  const fleet = createFleet(spec, connections, settings);
  const member = uniqueInstanceName();
  const served = serveFreezes({
    member,
    config,
    env: sources.env,
    userAgent,
    client,
    keys,
    clock,
    log,
    meter,
    fleet,
  });
  shutdown.add("freezes", () => served.close());
  const { freezes } = served;
  const given = givenScope(spec.shape, sources);
  const shown =
    watches !== undefined && spec.works !== undefined
      ? new ShownWorkloads(clock, new DeflatedText())
      : undefined;
  const watched =
    watches === undefined
      ? undefined
      : createWatched(watches, connections, {
          member,
          settings,
          givenScope: given,
          mode,
          fleet,
          freezes,
          shown,
        });
  return { settings, fleet, served, watched, shown };
}

function openMode(
  watches: Watches,
  config: ProcessConfig,
  { keyring, log, meter, random }: Pick<Connections, "keyring" | "log" | "meter" | "random">,
) {
  return watches.parts.createWebhookMode({
    url: config.webhookUrl,
    keyring,
    settings: settingsOf(config),
    clock: systemClock,
    random,
    log,
    meter,
  });
}

function createFleet(spec: ProcessSpec, connections: Connections, settings: Settings): Fleet {
  const { config, watches, works } = spec;
  const { adapters, client, keys, log, meter, random, registration } = connections;
  const isTelling = config.webhookUrl !== undefined;
  const rolesIn = (labels: Labels): readonly Part[] => [
    ...(watches === undefined ? [] : [watcherPart(labels, watches)]),
    ...(watches === undefined || !isTelling ? [] : ["teller" as const]),
    ...(works === undefined || isTelling ? [] : ["worker" as const]),
  ];
  return new Fleet({
    providers: registration.providers,
    rights: (namespaces, labels) => rightsFor(rolesIn(labels), settings, namespaces),
    limit: callLimit(config),
    userAgent,
    clock: systemClock,
    random,
    log,
    meter,
    onCall: adapters.requested,
    isShared: works === undefined,
    incumbents: new RedisIncumbents({ client, keys }),
    tellsEvents: works?.config.events ?? false,
  });
}

function watcherPart(labels: Labels, { config }: Watches): Part {
  return eventSourceOf(labels, config.eventSource) === "audit" ? "lister" : "watcher";
}

interface Watchable {
  readonly member: string;
  readonly settings: Settings;
  readonly givenScope: GivenScope;
  readonly mode: WebhookMode | undefined;
  readonly fleet: Fleet;
  readonly freezes: Freezes;
  readonly shown: ShownWorkloads | undefined;
}

function createWatched(
  { config, createOwnership, parts }: Watches,
  { client, clock, keys, log, meter, names, queue, random }: Connections,
  { fleet, freezes, givenScope: given, member, mode, settings, shown }: Watchable,
): Watched {
  const reachOf = (cluster: ClusterId) => fleet.reachOf(cluster);
  const ownership = createOwnership?.({ member, client, keys, clock, log, meter, reachOf });
  const watching = parts.createWatching({
    client,
    keys,
    queue,
    settings,
    givenScope: given,
    names,
    clock,
    random,
    log,
    meter,
    shown,
    auditIntervalMs: config.auditInterval,
    eventSource: config.eventSource,
    webhookMode: mode,
  });
  return {
    member,
    watching,
    scaling: parts.createScaling({
      client,
      keys,
      queue,
      horizonMs: config.workHorizon,
      freezes,
      fleet,
      annotationsOf: (cluster) => watching.annotationsOf(cluster) ?? unwatched(ownership, cluster),
      clock,
      log,
    }),
    gone: parts.createGoneClusters({
      client,
      keys,
      clock,
      random,
      log,
      registered: () => fleet.claimedClusters,
    }),
    ownership,
    report: (signal) =>
      parts.reportClusters({ client, clock, fleet, keys, log, member, ownership, watching }, signal),
  };
}

/** What we know about a cluster that we do not watch. */
function unwatched(ownership: RedisOwnership | undefined, cluster: ClusterId): AnnotationView {
  switch (ownership?.watcherOf(cluster)) {
    case "another":
      return "elsewhere";
    case "us":
    case "nobody":
      return "behind";
    default:
      return "unknown";
  }
}
