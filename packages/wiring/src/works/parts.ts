import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { type MetaInfoOptions, publishOnEngagement } from "./meta-info.ts";
import { type Reporting, type ReportingOptions, startReporting } from "./reporting.ts";
import { openTracing, type Tracing, type TracingOptions } from "./tracing.ts";
import { startWorking, type Working, type WorkingOptions } from "./working.ts";

/** The parts that roll workloads. A process that rolls nothing does not load them. */
export interface WorkParts {
  publishOnEngagement(options: MetaInfoOptions): (engaged: Engaged) => void;
  openTracing(options: TracingOptions): Promise<Tracing>;
  startReporting(options: ReportingOptions): Reporting;
  startWorking(options: WorkingOptions): Promise<Working>;
}

export const workParts: WorkParts = { publishOnEngagement, openTracing, startReporting, startWorking };
