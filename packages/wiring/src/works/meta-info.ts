import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { publishMetaInfo } from "@fleet-reloader/kube/discovery/meta-info";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import type { notifyFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { metaInfoOf } from "@fleet-reloader/runtime/http/meta-info";

export interface MetaInfoOptions {
  /** Every field of the service: the ConfigMap lists them. */
  readonly shape: ConfigShape;
  readonly sources: ConfigSources;
  readonly config: ConfigOf<typeof notifyFields>;
  readonly firstCluster: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Writes the ConfigMap `reloader-meta-info` when the first cluster of the list is engaged. Stakater Reloader writes it to the cluster it runs in.
 * Nothing waits for the write.
 */
export function publishOnEngagement(options: MetaInfoOptions): (engaged: Engaged) => void {
  const { shape, sources, config, firstCluster, clock, log, signal } = options;
  const { metaInfoNamespace: namespace, metaInfoDeployment: name } = config;
  return ({ connection, name: cluster }) => {
    if (namespace === "" || cluster !== firstCluster) return;
    const content = metaInfoOf(shape, sources, { name, namespace });
    void publishMetaInfo({ connection, namespace, content, clock, log, signal });
  };
}
