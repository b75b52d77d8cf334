import { isToldOf } from "@fleet-reloader/domain/cluster/told-namespace";
import type { Freeze, FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { clustersOf } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { HeldRequest } from "@fleet-reloader/engine/admission/held-requests";
import type { ClusterOverview, FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { clusterNamer } from "@fleet-reloader/engine/overview/registered-clusters";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { Viewer } from "./granted-caller.ts";

/**
 * The part of a fleet that a viewer sees, for one request. What cannot be divided by cluster and namespace stays whole; only a caller who sees
 * everything gets it.
 */
export function scopeFleet(overview: FleetOverview, viewer: Viewer): FleetOverview {
  if (viewer.seesAll) return overview;
  let listed: Promise<readonly ClusterOverview[] | undefined> | undefined;
  const clusters = () => {
    // Read once for the whole request.
    listed ??= overview.clusters();
    return listed;
  };
  const registered = async () => (await clusters()) ?? [];
  const seesRequest = async () => {
    const nameOf = clusterNamer(await registered());
    return ({ cluster, workload }: Request) =>
      viewer.may("viewer", { cluster: nameOf(cluster), namespace: workload.namespace });
  };
  return {
    clusters: async () =>
      (await clusters())
        ?.filter(({ name }) => viewer.seesSome(name))
        .map((cluster) => seenCluster(cluster, viewer)),
    queue: () => overview.queue(),
    async holds() {
      const [sees, holds] = await Promise.all([seesRequest(), overview.holds()]);
      return holds.filter(({ request }) => sees(request)).map(withoutFreezeFaults);
    },
    async freezes() {
      const [known, freezes] = await Promise.all([registered(), overview.freezes()]);
      return freezes.filter((freeze) => seesFreeze(freeze, viewer, known));
    },
    async unreadableFreezes() {
      return (await overview.unreadableFreezes()) && unreadableFreezes;
    },
    async managed(cluster, namespace) {
      const name = clusterNamer(await registered())(cluster);
      const all = await overview.managed(cluster, namespace);
      return all.filter(({ ref }) => viewer.may("viewer", { cluster: name, namespace: ref.namespace }));
    },
    async unfinished(request) {
      const [sees, levels] = await Promise.all([seesRequest(), overview.unfinished(request)]);
      return levels.map(({ level, requests }) => ({ level, requests: requests.filter(sees) }));
    },
  };
}

/** The problems of a cluster are lines of text. A viewer of some namespaces gets the lines that name no other namespace. */
function seenCluster(cluster: ClusterOverview, viewer: Viewer): ClusterOverview {
  const { name, report, status } = cluster;
  const sees = (namespace: string) => viewer.may("viewer", { cluster: name, namespace });
  if (sees("")) return cluster;
  const seenStatus = (whole: typeof status) =>
    whole && { state: whole.state, why: seenLines(whole.why, sees) };
  const seenReport = report && {
    ...report,
    status: seenStatus(report.status),
    behind: seenLines(report.behind, sees),
    missingRights: seenLines(report.missingRights, sees),
  };
  return { ...cluster, status: seenStatus(status), report: seenReport };
}

function seenLines(lines: readonly string[], sees: (namespace: string) => boolean): readonly string[] {
  return lines.filter((line) => isToldOf(line, sees));
}

/** Shown to a viewer of a part instead of the problem of a freeze document, which may quote anything in it. */
export const unreadableFreezes = "a document of freezes cannot be read";

function withoutFreezeFaults(held: HeldRequest): HeldRequest {
  return held.reason === "FreezeUnreadable" ? Object.assign({}, held, { why: unreadableFreezes }) : held;
}

/** A viewer sees a freeze if it may hold something that the viewer sees. */
function seesFreeze({ scope }: Freeze, viewer: Viewer, registered: readonly ClusterOverview[]): boolean {
  const { namespace } = scope;
  const names = frozenClusters(scope, registered).filter((name) => viewer.seesSome(name));
  return namespace === undefined
    ? names.length > 0
    : names.some((cluster) => viewer.may("viewer", { cluster, namespace }));
}

/** A freeze may also name a cluster that is not registered yet, or not any more. */
function frozenClusters(scope: FreezeScope, registered: readonly ClusterOverview[]): readonly string[] {
  const { clusters } = clustersOf(scope, registered);
  const { cluster } = scope;
  return [
    ...clusters.map(({ name }) => name),
    ...(clusters.length > 0 || cluster === undefined ? [] : [cluster]),
  ];
}
