import { Fault } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import {
  declareFreeze,
  entryScopeText,
  entryText,
  freezeEntryOf,
  isFreezeOver,
  liftFreeze,
  scopeEntryOf,
  type WantedScope,
} from "@fleet-reloader/runtime/freeze/declare-freeze";
import {
  type CheckedEntry,
  type FreezeEntry,
  freezeOfEntry,
} from "@fleet-reloader/runtime/freeze/freeze-entries";
import type { FreezeStore, FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { actorOf } from "../acts/act-flags.ts";
import type { freezeConfig, unfreezeConfig } from "./freeze-config.ts";
import { absentText } from "./list-freezes.ts";

/** A freeze that was written. */
export interface Frozen {
  readonly declared: Freeze;
  /** The same in a sentence, for people. */
  readonly says: string;
}

/** Freezes. Where the same is frozen already, changes its reason and its end. */
export async function freeze(store: FreezeStore, config: ConfigOf<typeof freezeConfig>): Promise<Frozen> {
  const now = systemClock.now();
  const entry = wantedEntry(config, now);
  await declareFreeze(store, entry);
  return { declared: freezeOfEntry(entry), says: `frozen in ${store.name}: ${entryText(entry, now)}\n` };
}

/** The freeze that the flags are. Faults when they say none, or one that is over. */
export function wantedEntry(config: ConfigOf<typeof freezeConfig>, now: number): FreezeEntry {
  const { reason, until } = config;
  const by = actorOf(config);
  const entry = entryIn(freezeEntryOf({ scope: scopeOf(config), reason, by, until }, now));
  // It would freeze nothing, and it would replace a freeze of the same scope that is in force.
  if (isFreezeOver(entry, now))
    throw new Fault(
      "config.invalid",
      `--until ${until}: this time is over; write a later one, or how long from now, for example 2h or 2d`,
    );
  return entry;
}

/** Removes the freeze of exactly this scope, wherever it is declared. */
export async function unfreeze(
  stores: FreezeStores,
  config: FreezeScopeFlags & { readonly freezeFile: string },
): Promise<string> {
  const entry = liftedEntry(config);
  const scope = entryScopeText(entry);
  const lifted = await liftFreeze(stores, entry);
  if (lifted.type === "absent") {
    const { frozen, gone, places } = lifted;
    const absent = gone.map((name) => `${name}: ${absentText(name === config.freezeFile)}`);
    const listed =
      frozen.length > 0 || absent.length === 0 ? [`frozen are: ${frozen.join("; ") || "none"}`] : [];
    throw new Fault(
      "config.invalid",
      [`${scope}: it is not frozen in ${places}`, ...listed, ...absent].join("; "),
    );
  }
  const now = systemClock.now();
  const others = lifted.others.filter((each) => !isFreezeOver(each, now)).map((each) => entryText(each, now));
  return others.length === 0
    ? `no longer frozen in ${lifted.places}: ${scope}\n`
    : `removed from ${lifted.places}: the freeze of ${scope}; still frozen are: ${others.join("; ")}\n`;
}

/** What the flags lift. Faults when they say nothing. */
export function liftedEntry(config: FreezeScopeFlags): FreezeEntry {
  return entryIn(scopeEntryOf(scopeOf(config)));
}

function entryIn(checked: CheckedEntry): FreezeEntry {
  if (checked.type === "entry") return checked.entry;
  throw new Fault(
    "config.invalid",
    `${checked.problems.join("; ")} (with flags: --fleet, --cluster, --cluster-selector, --namespace, …)`,
  );
}

/** The flags that say what is frozen. */
export type FreezeScopeFlags = Pick<
  ConfigOf<typeof unfreezeConfig>,
  "cluster" | "clusterSelector" | "fleet" | "inNamespace" | "source" | "workload"
>;

/** What the flags name, as people write it. */
export function scopeOf(config: FreezeScopeFlags): WantedScope {
  const { fleet, cluster, clusterSelector, inNamespace: namespace, workload, source } = config;
  return { fleet, cluster, clusterSelector, namespace, workload, source };
}
