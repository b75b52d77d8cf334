import { servingNamesOf } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { unfinishedWords } from "@fleet-reloader/engine/admission/brakes";
import type { ExplainedVerdict } from "@fleet-reloader/engine/ask/explanation";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { AskedFleet, ConnectedCluster, PathObject } from "../api/asked-routes.ts";
import type { Viewer } from "./granted-caller.ts";
import { assertMay } from "./refuse-access.ts";
import { unreadableFreezes } from "./scoped-fleet.ts";

/**
 * Limits questions about one object to what a viewer may see. The name in the path is checked first, so that no cluster is connected to in vain.
 * Then the cluster that answers is checked, and that check decides.
 */
export function scopeAsking(
  { asked, overview }: { readonly asked: AskedFleet; readonly overview: Pick<FleetOverview, "clusters"> },
  viewer: Viewer,
  { namespace }: Pick<PathObject, "namespace">,
): AskedFleet {
  if (viewer.seesAll) return asked;
  return {
    async explain(request, cluster, aborted) {
      const explained = await asked.explain(request, cluster, aborted);
      return Object.assign({}, explained, { verdict: withoutOthers(explained.verdict) });
    },
    async plan(source, cluster, aborted) {
      const planned = await asked.plan(source, cluster, aborted);
      const users = planned.users.map((user) =>
        Object.assign({}, user, { verdict: withoutOthers(user.verdict) }),
      );
      return Object.assign({}, planned, { users });
    },
    settings: asked.settings,
    async ask(called, question, signal) {
      const registered = (await overview.clusters()) ?? [];
      for (const name of servingNamesOf(called, registered))
        assertMay(viewer, "viewer", { cluster: name, namespace });
      return await asked.ask(
        called,
        (cluster) => {
          assertMay(viewer, "viewer", { cluster: cluster.name, namespace });
          const isWhole = viewer.may("viewer", { cluster: cluster.name, namespace: "" });
          return question(isWhole ? cluster : withoutOtherNamespaces(cluster, namespace));
        },
        signal,
      );
    },
  };
}

/** The reason of a hold may name workloads and freezes of any place. A viewer of a part sees only the reason itself. */
function withoutOthers(verdict: ExplainedVerdict): ExplainedVerdict {
  if (verdict.type !== "held") return verdict;
  const [own = ""] = verdict.why.split(`; ${unfinishedWords}`);
  const why = verdict.reason === "FreezeUnreadable" ? unreadableFreezes : own;
  return Object.assign({}, verdict, { why });
}

/** Only viewers of the whole cluster see the names of the other namespaces that its registration shows. */
function withoutOtherNamespaces(cluster: ConnectedCluster, namespace: string): ConnectedCluster {
  const namespaces = cluster.namespaces?.filter((name) => name === namespace);
  return Object.assign({}, cluster, { namespaces });
}
