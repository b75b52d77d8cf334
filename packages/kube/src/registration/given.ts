import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import type { ClusterProvider } from "./registration.ts";

/** The clusters that were named when the process started; they never change. */
export function createGivenClusters(targets: readonly ClusterTarget[]): ClusterProvider {
  return {
    async run(signal, onChange) {
      onChange(
        targets.map((target) => ({
          id: `given#${target.name}`,
          name: target.name,
          labels: {},
          access: { type: "usable", target, version: "given" },
        })),
      );
      await untilAborted(signal);
    },
    notReady: [],
    isNamed: true,
  };
}
