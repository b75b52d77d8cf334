import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import type { FreezeStore } from "@fleet-reloader/wiring/freezes";
import type { freezeConfig } from "./config.ts";
import { coverageNow } from "./coverage.ts";
import { freeze } from "./freeze.ts";

/** What to tell of a freeze that was written, on which stream, and with what to end. */
export interface FreezeReport {
  readonly says: string;
  /** What it covers is not known, or nothing. */
  readonly warning: string | undefined;
  readonly exitCode: number;
}

/** The freeze is written, and nothing that is known is held by it. */
const coversNothing = 3;

/** Freezes, and tells what that covers. One that covers nothing is no success. */
export async function coveredFreeze(
  store: FreezeStore,
  config: ConfigOf<typeof freezeConfig>,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock: Clock;
    readonly log: Log;
  },
): Promise<FreezeReport> {
  const { scope, says } = await freeze(store, config);
  const covered = await coverageNow(scope, {
    ...options,
    redisUrl: config.redisUrl,
    dataDir: dataDirOf(config.dataDir, options.env),
    isInHub: config.freezeConfigmap !== undefined,
    isFileNamed: config.freezeFile !== "",
  });
  if (covered.covers === true) return { says: `${says}${covered.says}\n`, warning: undefined, exitCode: 0 };
  const exitCode = covered.covers === "unknown" ? 0 : coversNothing;
  return { says, warning: `warning: ${covered.says}\n`, exitCode };
}
