import type { ClusterTarget } from "../kubeconfig.ts";
import type { ClusterProvider } from "./registration.ts";

/** The clusters that were named when the process was started; they stay as they are. */
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
      if (signal.aborted) return;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
    notReady: [],
    isNamed: true,
  };
}
