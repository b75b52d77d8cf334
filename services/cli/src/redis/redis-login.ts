import { type RedisAddress, redisAddress } from "@fleet-reloader/redis/connection/client";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { readAskedSecret } from "@fleet-reloader/wiring/asks/asked-secret";
import { withPassword } from "@fleet-reloader/wiring/made-secrets";
import type { CommandProcess } from "../frame/command.ts";

const { redisPasswordSecret } = connectionFields;

/** In a pod of ours the variables say it. */
export const redisLoginFields = {
  redisPasswordSecret: {
    ...redisPasswordSecret,
    meta: {
      ...redisPasswordSecret.meta,
      description:
        "Secret with the password for --redis-url, in the cluster we run in, or else in the current context of the kubeconfig. KEY defaults to password.",
    },
  },
} as const;

/** The address of a given Redis, with its password where a Secret has that. */
export async function redisLogin(
  config: ConfigOf<typeof redisLoginFields> & { readonly redisUrl: string; readonly kubeconfig?: string },
  env: CommandProcess["env"],
): Promise<RedisAddress> {
  const { redisPasswordSecret: ref, redisUrl } = config;
  if (ref === undefined) return redisAddress(redisUrl);
  const where = `--redis-password-secret ${ref.namespace}/${ref.name}`;
  const kubeconfig = config.kubeconfig ?? env.KUBECONFIG ?? "";
  const asked = { config: { kubeconfig, contexts: [] }, env, clock: systemClock };
  const { signal } = new AbortController();
  return redisAddress(await withPassword(redisUrl, () => readAskedSecret(where, ref, asked, signal)));
}
