import type { Log } from "@fleet-reloader/engine/ports/log";
import { verifyServer } from "@fleet-reloader/redis/connection/client";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { remarkOn } from "@fleet-reloader/runtime/config/remarks";
import { listenHealth } from "@fleet-reloader/runtime/http/http-endpoint";
import { addressText, addressUrl } from "@fleet-reloader/runtime/http/socket-address";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { type RunningService, Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import type { Loops } from "@fleet-reloader/runtime/process/loops";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { dashboardPlaces } from "../dashboard-places.ts";
import type { OpenAccess } from "../open-access.ts";
import { type Clusters, openClusters } from "./clusters.ts";
import { type Connections, openConnections } from "./connections.ts";
import type { ProcessSpec } from "./process-spec.ts";
import { startParts } from "./running-parts.ts";

/**
 * Starts a process that watches, works, serves the dashboard, or does several of these. When a step of the start fails, everything that was
 * started before ends, in reverse order.
 */
export async function startProcess(spec: ProcessSpec): Promise<RunningService> {
  const { config, service, shape, sources } = spec;
  const log = createLog({ service, level: config.logLevel, format: config.logFormat });
  remarkOn(shape, sources, log);
  const shutdown = new Shutdown();
  try {
    const loops = await start(spec, log, shutdown);
    return { log, stop: () => shutdown.run(log), broken: loops.broken };
  } catch (error) {
    await shutdown.unwind(log);
    throw error;
  }
}

async function start(spec: ProcessSpec, log: Log, shutdown: Shutdown): Promise<Loops> {
  const access = await spec.dashboard?.parts.openAccess({ config: spec.dashboard.config, log });
  if (access !== undefined) shutdown.add("access", () => access.close());
  const connections = await openConnections(spec, log, shutdown);
  const clusters = await openClusters(spec, connections, shutdown);
  const { client, clock, keys, meter } = connections;
  const { watches } = spec;
  let starting: readonly string[] = ["the start has not ended"];
  // Served before anything is waited for: liveness depends on nothing outside this process.
  const health = await serveHealth(spec, connections, clusters, {
    problems: () => starting,
    notes: () => access?.notes ?? [],
  });
  shutdown.add("health", () => health.close());
  const scaler = await serveScaler(spec, connections, clusters);
  if (scaler !== undefined) shutdown.add("scaler", () => scaler.close());
  await verifyServer(client);
  await clock.start();
  await guardShards({ client, keys });
  const dashboard = access && (await serveDashboard(spec, connections, clusters, access));
  if (dashboard !== undefined) shutdown.add("dashboard", () => dashboard.close());
  const loops = await startParts({ spec, connections, clusters, shutdown });
  const audit = await watches?.parts.serveAudit({
    config: watches.config,
    fleet: clusters.fleet,
    settings: clusters.settings,
    client,
    keys,
    clock,
    log,
    meter,
  });
  if (audit !== undefined) shutdown.add("audit events", () => audit.close());
  starting = [];
  logStart(spec, log, health.port, dashboard?.port);
  return loops;
}

function serveHealth(
  { config }: ProcessSpec,
  { absence, client, metrics, registration }: Connections,
  { fleet, served, watched }: Clusters,
  starting: { readonly problems: () => readonly string[]; readonly notes: () => readonly string[] },
) {
  const { host, port } = config.listenAddress;
  return listenHealth({
    address: { host, port, allowedHosts: config.allowedHosts },
    // A cluster that another process watches does not make this one unready.
    notReady: () => [
      ...starting.problems(),
      ...absence.notReady,
      ...fleet.notEngaged,
      ...(watched?.ownership?.unowned ?? []).map(
        (id) => `cluster ${fleet.get(id)?.name ?? id}: nobody watches it yet`,
      ),
      ...(watched?.watching.notReady((cluster) => fleet.isWaitedFor(cluster)) ?? []),
    ],
    notes: () => [
      ...client.notes,
      ...registration.notes,
      ...fleet.notes,
      ...served.freezes.notes,
      ...starting.notes(),
    ],
    metrics,
    ...(watched === undefined ? {} : { work: watched.scaling.work }),
  });
}

async function serveScaler({ watches }: ProcessSpec, { log }: Connections, { watched }: Clusters) {
  if (watches === undefined || watched === undefined) return undefined;
  const { config, parts } = watches;
  return await parts.listenForKeda({ config, scaling: watched.scaling, clock: systemClock, log });
}

async function serveDashboard(
  { config, dashboard, works }: ProcessSpec,
  { client, clock, keyring, keys, log, queue }: Connections,
  { fleet, served, settings }: Clusters,
  access: OpenAccess,
) {
  if (dashboard === undefined) return undefined;
  const { host, port } = dashboard.config.dashboardAddress;
  const address = { host, port, allowedHosts: config.allowedHosts };
  return await dashboard.parts.listen({
    address,
    access,
    client,
    keys,
    queue,
    clock,
    log,
    fleet,
    freezes: served.freezes,
    acting: { freezes: served.stores, historyLengthMax: config.historyMaxLength },
    keyring: await keyring(),
    settings,
    limits: works?.limits ?? {},
  });
}

function logStart(
  { config, dashboard, service }: ProcessSpec,
  log: Log,
  healthPort: number,
  dashboardPort: number | undefined,
): void {
  const health = { host: config.listenAddress.host, port: healthPort };
  if (dashboard === undefined || dashboardPort === undefined) {
    log.info({ listen: addressText(health) }, `${service} started`);
    return;
  }
  const places = dashboardPlaces(dashboard.config, dashboardPort);
  log.info(
    Object.assign({ health: `${addressUrl("http", health)}/ready` }, places),
    "fleet-reloader started",
  );
}
