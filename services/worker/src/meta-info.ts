import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { publishMetaInfo } from "@fleet-reloader/kube/discovery/meta-info";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import type { notifyFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { metaInfoOf } from "@fleet-reloader/runtime/http/meta-info";

/**
 * Writes `reloader-meta-info` once the first cluster of the list is engaged: with the peer that is the one it runs in. Nobody
 * waits for it.
 */
export function publishOnEngagement(options: {
  readonly shape: ConfigShape;
  readonly config: ConfigOf<typeof notifyFields>;
  readonly firstCluster: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): (engaged: Engaged) => void {
  const { metaInfoNamespace: namespace, metaInfoDeployment: name } = options.config;
  return (engaged) => {
    if (namespace === "" || engaged.name !== options.firstCluster) return;
    const content = metaInfoOf(options.shape, options.config, { name, namespace });
    void publishMetaInfo({ ...options, connection: engaged.connection, namespace, content });
  };
}
