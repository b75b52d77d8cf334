import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { AskedFleet, PathObject } from "../api/asked-routes.ts";
import type { Viewer } from "./granted-caller.ts";
import { assertMay } from "./refuse-access.ts";

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
    explain: asked.explain,
    plan: asked.plan,
    settings: asked.settings,
    async ask(called, question, signal) {
      const registered = (await overview.clusters()) ?? [];
      const known =
        registered.find(({ id }) => id === called) ?? registered.find(({ name }) => name === called);
      assertMay(viewer, "viewer", { cluster: known?.name ?? called, namespace });
      return await asked.ask(
        called,
        (cluster) => {
          assertMay(viewer, "viewer", { cluster: cluster.name, namespace });
          return question(cluster);
        },
        signal,
      );
    },
  };
}
