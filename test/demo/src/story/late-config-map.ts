import { markAnnotation } from "@fleet-reloader/domain/annotation/own-keys";
import type { Fleet } from "../fleet.ts";
import { catalystWorkload, sovereignFqdn } from "../seeds/catalyst-api.ts";
import { type ClusterName, clusterNames } from "../seeds/clusters.ts";
import { once, type Step } from "./step.ts";

/** Of the strategy env-vars: the name the peer would give it. */
const variable = "STAKATER_SOVEREIGN_FQDN_CONFIGMAP";

export const lateConfigMap: Step = {
  scenario: "S1",
  title: "A ConfigMap arrives after the pod that reads it",
  story: [
    "catalyst-api takes SOVEREIGN_FQDN from an optional ConfigMap. Its pod was first, the variable is",
    'empty, and every handover ends in 401 "invalid audience" until somebody restarts it.',
  ],
  acts: [
    {
      who: "kustomize-controller",
      does: "applies ConfigMap catalyst/sovereign-fqdn",
      on: clusterNames,
      write: (cluster, by) => cluster.apply(sovereignFqdn(`${cluster.name}.omani.works`), by),
    },
  ],
  expects: "one roll on each (nova: strategy env-vars, otech62: annotations)",
  rolls: clusterNames.map((cluster) => once(cluster, catalystWorkload)),
  proof: { what: "each template changed by its own strategy", find: bothStrategies },
};

function bothStrategies(fleet: Fleet): readonly string[] | undefined {
  const template = (cluster: ClusterName) => {
    const { kind, namespace, name } = catalystWorkload;
    return JSON.stringify(fleet[cluster].get(kind, namespace, name)?.spec ?? {});
  };
  const hasVariable = (cluster: ClusterName) => template(cluster).includes(`"${variable}"`);
  const hasAnnotation = (cluster: ClusterName) => template(cluster).includes(`"${markAnnotation}"`);
  if (!hasVariable("nova") || hasAnnotation("nova") || hasVariable("otech62") || !hasAnnotation("otech62"))
    return undefined;
  return [`nova has the variable ${variable}`, `otech62 has the annotation ${markAnnotation}`];
}
