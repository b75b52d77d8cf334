import { randomBytes } from "node:crypto";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type ClusterTarget, homeTarget } from "@fleet-reloader/kube/credentials/kubeconfig";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { ensureSecret, readOwnedSecret, type SecretKeyRef } from "@fleet-reloader/kube/objects/owned-secret";
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
  /** This process creates no Secret. It waits until another one has created it. */
  readonly onlyReads?: boolean;
}

/** Time between two attempts. A person may be waiting for a right that was just granted. */
const secretRetryMs = 2000;

/** Reads the keys of the marks from `--mark-key-secret`, from `--mark-key-file` or from the data dir. */
export async function openKeyring(options: MadeSecretsOptions): Promise<Keyring> {
  const { markKeyFile, markKeySecret, dataDir } = options.config;
  if (markKeySecret === undefined) return loadKeyring(markKeyFile, dataDirOf(dataDir, options.env));
  if (markKeyFile !== "")
    throw new Fault("config.invalid", "--mark-key-secret: --mark-key-file is given, too; keep one of them");
  const { namespace, name } = markKeySecret;
  const keys = await waitForSecret("--mark-key-secret", markKeySecret, newMarkKey, options);
  return readKeyring(keys, `--mark-key-secret ${namespace}/${name}`);
}

/** Returns `--redis-url` with the password of `--redis-password-secret`. */
export async function openRedisUrl(options: MadeSecretsOptions): Promise<string> {
  const { redisUrl, redisPasswordSecret } = options.config;
  if (redisPasswordSecret === undefined) return redisUrl;
  const made = () => randomBytes(24).toString("hex");
  return await withPassword(redisUrl, () =>
    waitForSecret("--redis-password-secret", redisPasswordSecret, made, options),
  );
}

/** Puts the password into the URL, which must not have one. */
export async function withPassword(redisUrl: string, password: () => Promise<string>): Promise<string> {
  const [, scheme, user = "", rest] = /^([a-z-]+:\/\/)(?:([^:@]+)@)?([^@]+)$/.exec(redisUrl) ?? [];
  if (scheme === undefined || rest === undefined)
    throw new Fault(
      "config.invalid",
      "--redis-password-secret: it needs a --redis-url without a password; remove one of the two",
    );
  return `${scheme}${user}:${encodeURIComponent((await password()).trim())}@${rest}`;
}

/** The cluster that holds the Secret. Faults with `config.invalid` when there is none. */
function homeTargetOf(
  flag: string,
  { config, env }: Pick<MadeSecretsOptions, "config" | "env">,
): ClusterTarget {
  const target = homeTarget(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
  if (target === undefined) throw new Fault("config.invalid", `${flag}: there is no cluster to read it from`);
  return target;
}

/** Waits until the Secret is read or made. While the API server does not answer, a health endpoint says that this process is alive. */
async function waitForSecret(
  flag: string,
  ref: SecretKeyRef,
  make: () => string,
  options: MadeSecretsOptions,
): Promise<string> {
  const { clock, config, env } = options;
  const target = homeTargetOf(flag, { config, env });
  const connection = new Connection({ target, clock, userAgent });
  const { signal } = new AbortController();
  const ask = () =>
    options.onlyReads === true
      ? presentSecret(connection, ref, signal)
      : ensureSecret(connection, ref, make, signal);
  try {
    const name = `${flag} ${ref.namespace}/${ref.name}`;
    return await ask().catch((error: unknown) => retry(name, error, ask, options));
  } finally {
    await connection.close();
  }
}

async function presentSecret(
  connection: Connection,
  ref: SecretKeyRef,
  signal: AbortSignal,
): Promise<string> {
  const found = await readOwnedSecret(connection, ref, signal);
  if (found !== undefined) return found;
  throw new Fault("redis.unavailable", "there is no such Secret yet; a watcher or a worker makes it");
}

async function retry(
  name: string,
  first: unknown,
  ask: () => Promise<string>,
  { clock, config, log, metrics }: MadeSecretsOptions,
): Promise<string> {
  let why = toRetry(first);
  const { signal } = new AbortController();
  const notReady = () => [`${name}: ${why}`];
  const address: ListenAddress = config.listenAddress;
  const health = await listenHealth({ address, notReady, metrics });
  log.error({ reason: asFault(first).code }, `${notReady().join()}; trying again`);
  try {
    for (;;) {
      await clock.sleep(secretRetryMs, signal);
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

/** The reason of a temporary failure; throws a permanent one. */
function toRetry(error: unknown): string {
  const fault = asFault(error);
  if (fault.class === "misconfigured" || fault.class === "invariant") throw fault;
  return fault.message;
}
