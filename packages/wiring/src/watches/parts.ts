import { GoneClusters, type GoneClustersOptions } from "@fleet-reloader/redis/ownership/gone-clusters";
import type { Listening } from "@fleet-reloader/runtime/http/start-listening";
import { type LateUsersParts, recordLateUsers } from "../hints/record-late-users.ts";
import { type ServeAuditOptions, serveAudit } from "../hints/serve-audit.ts";
import { type ListenForKeda, listenForKeda } from "./listen-for-keda.ts";
import { type ReportClustersOptions, reportClusters } from "./report-clusters.ts";
import { createScaling, type Scaling, type ScalingOptions } from "./scaling.ts";
import { Watching, type WatchingOptions } from "./watching.ts";
import { createWebhookMode, type WebhookMode, type WebhookModeOptions } from "./webhook-mode.ts";

/** The parts that watch clusters. A process that does not watch does not load them. */
export interface WatchParts {
  serveAudit(options: ServeAuditOptions): Promise<Listening | undefined>;
  recordLateUsers(options: LateUsersParts, signal: AbortSignal): Promise<void>;
  createWebhookMode(options: WebhookModeOptions): Promise<WebhookMode | undefined>;
  createWatching(options: WatchingOptions): Pick<Watching, "annotationsOf" | "lags" | "notReady" | "watch">;
  createScaling(options: ScalingOptions): Scaling;
  listenForKeda: ListenForKeda;
  reportClusters(options: ReportClustersOptions, signal: AbortSignal): Promise<void>;
  createGoneClusters(options: GoneClustersOptions): Pick<GoneClusters, "run">;
}

export const watchParts: WatchParts = {
  createWebhookMode,
  createWatching: (options) => new Watching(options),
  serveAudit,
  recordLateUsers,
  createScaling,
  listenForKeda,
  reportClusters,
  createGoneClusters: (options) => new GoneClusters(options),
};
