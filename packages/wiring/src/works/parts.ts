import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { type MetaInfoOptions, publishOnEngagement } from "./meta-info.ts";
import { type Reporting, type ReportingOptions, startReporting } from "./reporting.ts";
import { startWorking, type Working, type WorkingOptions } from "./working.ts";

/** What rolling workloads is made of. A process that rolls nothing does not load it. */
export interface WorkParts {
  publishOnEngagement(options: MetaInfoOptions): (engaged: Engaged) => void;
  startReporting(options: ReportingOptions): Reporting;
  startWorking(options: WorkingOptions): Promise<Working>;
}

export const workParts: WorkParts = { publishOnEngagement, startReporting, startWorking };
