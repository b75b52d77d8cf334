import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { SecretKeyRef } from "@fleet-reloader/kube/objects/owned-secret";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { connectionFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { findKeyring, newMarkKey, readKeyring } from "@fleet-reloader/runtime/process/digest-key";
import { readAskedSecret } from "./asked-secret.ts";

export interface AskedKeyringOptions {
  readonly config: ConfigOf<
    Pick<typeof connectionFields, "kubeconfig" | "contexts" | "dataDir"> &
      Pick<typeof workerFields, "markKeyFile" | "markKeySecret">
  >;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The keys of the marks, and whether they are those of the workers. */
export interface AskedKeyring {
  readonly keys: Keyring;
  readonly areKeysShared: boolean;
}

/**
 * The keys of the workers, if they are given or found. Otherwise temporary keys: with these every question can be answered except whether a
 * content is the recorded one. Nothing is written.
 */
export async function askedKeyring(options: AskedKeyringOptions, signal: AbortSignal): Promise<AskedKeyring> {
  const { config, env } = options;
  const keys =
    config.markKeySecret === undefined
      ? findKeyring(config.markKeyFile, dataDirOf(config.dataDir, env))
      : await keysOfSecret(options, config.markKeySecret, signal);
  return keys === undefined
    ? { keys: readKeyring(newMarkKey(), "a key of this command"), areKeysShared: false }
    : { keys, areKeysShared: true };
}

async function keysOfSecret(
  options: AskedKeyringOptions,
  ref: SecretKeyRef,
  signal: AbortSignal,
): Promise<Keyring> {
  const where = `--mark-key-secret ${ref.namespace}/${ref.name}`;
  return readKeyring(await readAskedSecret(where, ref, options, signal), where);
}
