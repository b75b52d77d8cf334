import { randomBytes } from "node:crypto";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { homeTarget } from "@fleet-reloader/kube/credentials/kubeconfig";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { ensureSecret, type SecretKeyRef } from "@fleet-reloader/kube/objects/owned-secret";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { connectionFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { kubeconfigFilesOf } from "@fleet-reloader/runtime/config/kubeconfig-files";
import { type ListenAddress, listenHealth } from "@fleet-reloader/runtime/http/http-endpoint";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { loadKeyring, newMarkKey, readKeyring } from "@fleet-reloader/runtime/process/digest-key";
import { userAgent } from "@fleet-reloader/runtime/process/version";

type KeyFields = ConfigOf<
  Pick<
    typeof connectionFields,
    "kubeconfig" | "contexts" | "dataDir" | "listenAddress" | "redisPasswordSecret" | "redisUrl"
  > &
    Pick<typeof workerFields, "markKeyFile" | "markKeySecret">
>;

export interface MadeSecretsOptions {
  readonly config: KeyFields;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: () => Promise<string>;
}

/** Between two tries to reach the API server: people wait for the right that they have just granted. */
const retryMs = 2000;

/** The keys of the marks: of `--mark-key-secret`, of `--mark-key-file`, or of the data dir. */
export async function openKeyring(options: MadeSecretsOptions): Promise<Keyring> {
  const { markKeyFile, markKeySecret, dataDir } = options.config;
  if (markKeySecret === undefined) return loadKeyring(markKeyFile, dataDirOf(dataDir, options.env));
  if (markKeyFile !== "")
    throw new Fault("config.invalid", "--mark-key-secret: --mark-key-file is given, too; keep one of them");
  const { namespace, name } = markKeySecret;
  const keys = await waitForSecret("--mark-key-secret", markKeySecret, newMarkKey, options);
  return readKeyring(keys, `--mark-key-secret ${namespace}/${name}`);
}

/** `--redis-url`, with the password of `--redis-password-secret`. */
export async function openRedisUrl(options: MadeSecretsOptions): Promise<string> {
  const { redisUrl, redisPasswordSecret } = options.config;
  if (redisPasswordSecret === undefined) return redisUrl;
  const [, scheme, rest] = /^([a-z-]+:\/\/)([^@]+)$/.exec(redisUrl) ?? [];
  if (scheme === undefined || rest === undefined)
    throw new Fault(
      "config.invalid",
      "--redis-password-secret: it needs a --redis-url without a password; remove the one or the other",
    );
  const made = () => randomBytes(24).toString("hex");
  const password = await waitForSecret("--redis-password-secret", redisPasswordSecret, made, options);
  return `${scheme}:${encodeURIComponent(password.trim())}@${rest}`;
}

/** Being alive depends on nothing outside this process: while the API server does not answer, somebody else has to say so. */
async function waitForSecret(
  flag: string,
  ref: SecretKeyRef,
  make: () => string,
  options: MadeSecretsOptions,
): Promise<string> {
  const { config, env, clock, log, metrics } = options;
  const target = homeTarget(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
  if (target === undefined) throw new Fault("config.invalid", `${flag}: there is no cluster to read it from`);
  const connection = new Connection({ target, clock, userAgent });
  const { signal } = new AbortController();
  const ask = () => ensureSecret(connection, ref, make, signal);
  try {
    return await ask().catch((error: unknown) => retry(error));
  } finally {
    await connection.close();
  }

  async function retry(first: unknown): Promise<string> {
    let why = toRetry(first);
    const notReady = () => [`${flag} ${ref.namespace}/${ref.name}: ${why}`];
    const address: ListenAddress = config.listenAddress;
    const health = await listenHealth({ address, notReady, metrics });
    log.error({ reason: asFault(first).code }, `${notReady().join()}; trying again`);
    try {
      for (;;) {
        await clock.sleep(retryMs, signal);
        try {
          return await ask();
        } catch (error) {
          why = toRetry(error);
        }
      }
    } finally {
      await health.close();
    }
  }
}

/** What another try may mend, for people. */
function toRetry(error: unknown): string {
  const fault = asFault(error);
  if (fault.class === "misconfigured" || fault.class === "invariant") throw fault;
  return fault.message;
}
