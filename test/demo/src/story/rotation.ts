import { billingWorkload, databaseCredentials, databaseSecret } from "../seeds/billing.ts";
import { clusterNames } from "../seeds/clusters.ts";
import { type Act, once, type Step } from "./step.ts";

export const refresh: Step = {
  scenario: "S5",
  title: "External Secrets looks, and finds nothing new",
  story: ["Each refresh writes to the Secret, but only to its metadata."],
  acts: [refreshAt(0), refreshAt(300), refreshAt(300)],
  expects: "no roll: the content is the same",
  rolls: [],
};

export const rotation: Step = {
  scenario: "S5",
  title: "OpenBao has a new password",
  story: ["billing says only reloader.stakater.com/auto; ledger reads the same Secret and opts out."],
  acts: [
    {
      who: "external-secrets",
      does: "rotates Secret payments/database-credentials",
      on: clusterNames,
      write: (cluster, by) => cluster.apply(databaseCredentials("rev-2"), by),
    },
  ],
  expects: "one roll of billing on each cluster, none of ledger",
  rolls: clusterNames.map((cluster) => once(cluster, billingWorkload)),
};

function refreshAt(afterMs: number): Act {
  return {
    afterMs,
    who: "external-secrets",
    does: "refreshes Secret payments/database-credentials",
    on: clusterNames,
    write: (cluster, by) => {
      const annotations = { "reconcile.external-secrets.io/refreshed-at": new Date().toISOString() };
      cluster.patch(
        "Secret",
        databaseSecret.namespace,
        databaseSecret.name,
        { metadata: { annotations } },
        by,
      );
    },
  };
}
