import { secret, workload } from "./manifest.ts";

/** seeds/000 and 001: External Secrets keeps a Secret equal to what OpenBao holds; the workload says only "auto". */
const namespace = "payments";
export const databaseSecret = { namespace, name: "database-credentials" } as const;
export const billingWorkload = { kind: "Deployment", namespace, name: "billing" } as const;

const envFrom = [{ secretRef: { name: databaseSecret.name } }];

export const billingSeed: readonly object[] = [
  databaseCredentials("rev-1"),
  workload({
    ...billingWorkload,
    replicas: 3,
    annotations: { "reloader.stakater.com/auto": "true" },
    envFrom,
    image: "billing:4.2.0",
  }),
  // The same Secret, and it opts out: must never roll.
  workload({
    kind: "StatefulSet",
    namespace,
    name: "ledger",
    annotations: { "reloader.stakater.com/auto": "false" },
    envFrom,
    image: "ledger:1.9.3",
  }),
];

export function databaseCredentials(revision: string): object {
  return secret(
    namespace,
    databaseSecret.name,
    { username: "billing", password: `openbao-${revision}` },
    {
      labels: { "reconcile.external-secrets.io/managed": "true" },
      annotations: { "reconcile.external-secrets.io/data-hash": revision },
    },
  );
}
