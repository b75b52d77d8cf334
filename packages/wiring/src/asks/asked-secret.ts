import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { homeTarget } from "@fleet-reloader/kube/credentials/kubeconfig";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { readOwnedSecret, type SecretKeyRef } from "@fleet-reloader/kube/objects/owned-secret";
import { kubeconfigFilesOf } from "@fleet-reloader/runtime/config/kubeconfig-files";
import { userAgent } from "@fleet-reloader/runtime/process/version";

export interface AskedSecretOptions {
  readonly config: { readonly kubeconfig: string; readonly contexts: readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Reads a key of a Secret in the cluster we run in, or else in the first given one. `where` names the flag and the Secret. */
export async function readAskedSecret(
  where: string,
  ref: SecretKeyRef,
  { config, env, clock }: AskedSecretOptions,
  signal: AbortSignal,
): Promise<string> {
  const target = homeTarget(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
  if (target === undefined)
    throw new Fault("config.invalid", `${where}: there is no cluster to read it from`);
  const connection = new Connection({ target, clock, userAgent });
  try {
    const text = await readOwnedSecret(connection, ref, signal);
    if (text !== undefined) return text;
    throw new Fault("config.invalid", `${where}: there is no such Secret; check the name`);
  } finally {
    await connection.close();
  }
}
