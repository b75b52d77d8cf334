import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload, WorkloadLists } from "@fleet-reloader/engine/ports/cluster-api";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { resourcePath } from "../resource.ts";
import { liveWorkload } from "./metadata.ts";
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
      const found: LiveWorkload[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const query = new URLSearchParams({ limit: String(workloadsInPage) });
        if (next !== "") query.set("continue", next);
        const path = `${resourcePath(resource, namespace)}?${query}`;
        const { status, body } = await connection.call({ method: "GET", path, isLarge: true }, signal);
        if (text(body, "metadata", "resourceVersion") === "")
          throw new Fault("kube.malformed", `what was answered with ${status} is no list of ${kind}s`);
        for (const item of jsonList(body, "items")) {
          const live = liveWorkload(known, item);
          if (live !== undefined) found.push(await objects.withTemplate(live, signal));
        }
        next = text(body, "metadata", "continue") || undefined;
      }
      return found;
    },
  };
}
