import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload, WorkloadLists } from "@fleet-reloader/engine/ports/cluster-api";
import { pagesOf } from "../http/collection-calls.ts";
import type { Connection } from "../http/connection.ts";
import { accept, resourcePath } from "../resource.ts";
import { liveWorkload } from "./live-objects.ts";
import { itemsOf } from "./object-answer.ts";
import { WorkloadObjects } from "./workload-objects.ts";

/** A page of workloads has less than a MiB. */
const workloadsInPage = 100;

/** Lists workloads over the connection of their cluster. */
export function createWorkloadLists(connection: Connection, served: readonly WorkloadKind[]): WorkloadLists {
  const objects = new WorkloadObjects(connection, served);
  return {
    async listWorkloads(kind, namespace, signal) {
      const resource = await objects.resource({ kind, namespace, name: "" }, signal);
      if (resource === undefined) return [];
      const known = objects.kindOf({ kind, namespace, name: "" });
      const path = resourcePath(resource, namespace);
      const pages = { path, query: { limit: String(workloadsInPage) }, accept: accept.json };
      const found: LiveWorkload[] = [];
      for await (const page of pagesOf(connection, pages, signal))
        for (const item of itemsOf(page, kind)) {
          const live = liveWorkload(known, item);
          if (live !== undefined) found.push(await objects.withTemplate(live, signal));
        }
      return found;
    },
  };
}
