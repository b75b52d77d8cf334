import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { FreezeStore } from "@fleet-reloader/runtime/freeze/freeze-store";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { redisLogin } from "../redis/redis-login.ts";
import { coverageNow } from "./coverage.ts";
import { freeze } from "./freeze.ts";
import type { freezeConfig } from "./freeze-config.ts";

/** The answer of the command to a freeze that was written. */
export interface FreezeReport {
  /** For standard output; empty when nothing is left to say. */
  readonly says: string;
  /** For standard error: the freeze covers nothing, or it is not known what it covers. */
  readonly warning: string | undefined;
  readonly exitCode: number;
}

/** The exit code when the freeze is written and holds nothing that is known. */
export const coversNothing = 3;

export interface CoveredFreezeOptions {
  /** Is told that the freeze is written, for standard output, before anybody is asked what it covers: that may take half a minute. */
  readonly onWritten: (says: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Freezes, and answers what the freeze covers. A freeze that covers nothing is no success. */
export async function coveredFreeze(
  store: FreezeStore,
  config: ConfigOf<typeof freezeConfig>,
  { clock, env, log, onWritten }: CoveredFreezeOptions,
): Promise<FreezeReport> {
  const { declared, says } = await freeze(store, config);
  onWritten(says);
  const covered = await coverageNow(declared, {
    clock,
    log,
    login: config.redisUrl === "" ? undefined : () => redisLogin(config, env),
    dataDir: dataDirOf(config.dataDir, env),
    document: store.name,
    isInHub: config.freezeConfigmap !== undefined,
    isFileNamed: config.freezeFile !== "",
  });
  if (covered.covers === true) return { says: `${covered.says}\n`, warning: undefined, exitCode: 0 };
  const exitCode = covered.covers === "unknown" ? 0 : coversNothing;
  return { says: "", warning: `warning: ${covered.says}\n`, exitCode };
}
