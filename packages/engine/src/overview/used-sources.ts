import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { ManagedWorkload } from "./fleet-overview.ts";

/** The sources that a workload of the reference index names or references. Sources that only a pattern matches are missing. */
export function usedSources({ sources }: Pick<ManagedWorkload, "sources">): readonly SourceRef[] {
  return sources.flatMap((key) => {
    const [kind, namespace = "", name = ""] = key.split("/");
    return kind === "ConfigMap" || kind === "Secret" || kind === "SecretProviderClass"
      ? [{ kind, namespace, name }]
      : [];
  });
}
