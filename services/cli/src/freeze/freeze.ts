import { userInfo } from "node:os";
import { parseDuration } from "@fleet-reloader/domain/duration";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { describeScope, type FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import {
  type FreezeEntry,
  freezeOfEntry,
  readFreezeEntries,
  writeFreezeEntries,
} from "@fleet-reloader/runtime/freeze/freeze-entries";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import type { FreezeStore } from "@fleet-reloader/wiring/freezes";
import type { freezeConfig, unfreezeConfig } from "./freeze-config.ts";

/** A freeze that was written. */
export interface Frozen {
  readonly scope: FreezeScope;
  /** The same in a sentence, for people. */
  readonly says: string;
}

/** Freezes. Where the same is frozen already, changes its reason and its end. */
export async function freeze(store: FreezeStore, config: ConfigOf<typeof freezeConfig>): Promise<Frozen> {
  const wanted = {
    ...freezeScopeOf(config),
    ...given("reason", config.reason),
    by: config.by || userInfo().username,
    ...given("until", askedEndOf(config.until)),
  };
  const entry = checked(wanted);
  // It would freeze nothing, and it would replace a freeze of the same scope that is in force.
  if (isFreezeOver(entry))
    throw new Fault(
      "config.invalid",
      `--until ${config.until}: this time is over; write a later one, or how long from now, for example 2h or 2d`,
    );
  await naming(
    store,
    store.write((before) => {
      const others = freezeEntriesOf(store, before).filter((each) => scopeText(each) !== scopeText(entry));
      return writeFreezeEntries([...others, entry]);
    }),
  );
  return { scope: freezeOfEntry(entry).scope, says: `frozen in ${store.name}: ${lineOf(entry)}\n` };
}

/** Removes the freeze of exactly this scope. */
export async function unfreeze(store: FreezeStore, config: ConfigOf<typeof unfreezeConfig>): Promise<string> {
  const scope = scopeText(checked(freezeScopeOf(config)));
  await naming(
    store,
    store.write((before) => {
      const entries = freezeEntriesOf(store, before);
      const others = entries.filter((each) => scopeText(each) !== scope);
      if (others.length === entries.length)
        throw new Fault(
          "config.invalid",
          `${scope}: it is not frozen in ${store.name}; frozen are: ${entries.map(scopeText).join("; ") || "none"}`,
        );
      return writeFreezeEntries(others);
    }),
  );
  return `no longer frozen in ${store.name}: ${scope}\n`;
}

/** Lists the freezes of each document. */
export async function listFreezes(stores: readonly FreezeStore[]): Promise<string> {
  const parts = await Promise.all(
    stores.map(async (store) => {
      const text = await naming(store, store.text());
      const entries = freezeEntriesOf(store, text);
      // A wrong address shows no freeze, too.
      if (text === undefined) return `${store.name}: nothing is frozen; it is not there\n`;
      return entries.length === 0
        ? `${store.name}: nothing is frozen\n`
        : `${store.name}:\n${entries.map((entry) => `  ${lineOf(entry)}\n`).join("")}`;
    }),
  );
  return parts.join("");
}

/** The scope of an entry in one line. Entries that freeze the same have the same line. */
function scopeText(entry: FreezeEntry): string {
  return describeScope(freezeOfEntry(entry).scope);
}

/** Names the document in an error: those of the file system do not always name the file. */
async function naming<T>(store: FreezeStore, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("config.invalid", `${store.name}: ${asFault(error).message}`, { cause: error });
  }
}

/** A document that cannot be read is not overwritten: it may freeze something. */
function freezeEntriesOf(store: FreezeStore, text: string | undefined): readonly FreezeEntry[] {
  if (text === undefined) return [];
  const document = readFreezeEntries(text);
  if (document.type === "known") return document.entries;
  throw new Fault("config.invalid", `${store.name}: ${document.why}`);
}

/** Checks an entry by the rules of a document that was written by hand. */
function checked(wanted: object): FreezeEntry {
  const document = readFreezeEntries(JSON.stringify([wanted]));
  const [entry] = document.type === "known" ? document.entries : [];
  if (entry !== undefined) return entry;
  const why = document.type === "unreadable" ? document.why.replaceAll("entry 1: ", "") : "it says nothing";
  throw new Fault(
    "config.invalid",
    `${why} (with flags: --fleet, --cluster, --cluster-selector, --namespace, …)`,
  );
}

function freezeScopeOf(config: ConfigOf<typeof unfreezeConfig>) {
  const { fleet, cluster, clusterSelector, inNamespace, workload, source } = config;
  return {
    ...(fleet ? { fleet } : {}),
    ...given("cluster", cluster),
    ...given("clusterSelector", clusterSelector),
    ...given("namespace", inNamespace),
    ...given("workload", workload),
    ...given("source", source),
  };
}

function given(name: string, value: string): Readonly<Record<string, string>> {
  return value === "" ? {} : { [name]: value };
}

/** A duration counts from now. Other texts are times and stay as they are. */
function askedEndOf(text: string): string {
  const ms = parseDuration(text);
  return ms === undefined ? text : new Date(systemClock.now() + ms).toISOString();
}

function lineOf(entry: FreezeEntry): string {
  const until =
    entry.until === undefined ? "" : `, until ${entry.until}${isFreezeOver(entry) ? ", which is over" : ""}`;
  return printable(`${scopeText(entry)}: ${entry.reason} (by ${entry.by}${until})`);
}

function isFreezeOver(entry: FreezeEntry): boolean {
  const { untilMs } = freezeOfEntry(entry);
  return untilMs !== undefined && untilMs <= systemClock.now();
}
