import { servingNamesOf } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { unfinishedWords } from "@fleet-reloader/engine/admission/brakes";
import type { ExplainedVerdict } from "@fleet-reloader/engine/ask/explanation";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { AskedFleet, ConnectedCluster, PathObject } from "../api/asked-routes.ts";
import type { Viewer } from "./granted-caller.ts";
import { assertMay } from "./refuse-access.ts";
import { unreadableFreezes } from "./scoped-fleet.ts";

/**
 * Lets a viewer ask about one object. What a path calls the cluster is looked up first, so that no cluster is connected to for nothing;
 * what counts is the cluster that then answers.
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

/** What holds a roll may be about workloads and freezes of any place: a viewer of a part is told the reason alone. */
function withoutOthers(verdict: ExplainedVerdict): ExplainedVerdict {
  if (verdict.type !== "held") return verdict;
  const [own = ""] = verdict.why.split(`; ${unfinishedWords}`);
  const why = verdict.reason === "FreezeUnreadable" ? unreadableFreezes : own;
  return Object.assign({}, verdict, { why });
}

/** The names of the other namespaces that a registration shows are for who sees the whole cluster. */
function withoutOtherNamespaces(cluster: ConnectedCluster, namespace: string): ConnectedCluster {
  const namespaces = cluster.namespaces?.filter((name) => name === namespace);
  return Object.assign({}, cluster, { namespaces });
}
