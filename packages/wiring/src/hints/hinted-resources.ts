import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { sourceResource } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { podStatusKind } from "@fleet-reloader/kube/objects/pod-status";

/** A kind whose plural only the API server knows matches its whole group. */
interface HintedKind {
  readonly group: string;
  readonly plural: string | undefined;
}

const namespaces: HintedKind = { group: "", plural: "namespaces" };
/** A Rollout may refer to a Deployment for its template, even if Deployments are not served. */
const deployments: HintedKind = { group: "apps", plural: "deployments" };

/** The kinds whose audit events are useful with these settings. */
export function hintedKinds({
  sourceKinds,
  workloadKinds,
}: Pick<Settings, "sourceKinds" | "workloadKinds">): readonly HintedKind[] {
  const sources = sourceKinds.map((kind) =>
    kind === "SecretProviderClass" ? podStatusKind : sourceResource(kind),
  );
  return [...sources, ...workloadKinds, deployments, namespaces];
}

export function createServedFilter(
  settings: Pick<Settings, "sourceKinds" | "workloadKinds">,
): (resource: HintedResource) => boolean {
  const kinds = hintedKinds(settings);
  return ({ group, resource }) =>
    kinds.some((kind) => kind.group === group && (kind.plural === undefined || kind.plural === resource));
}
