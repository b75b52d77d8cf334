import { parseDuration } from "@fleet-reloader/domain/duration";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { describeScope, isInForce } from "@fleet-reloader/domain/hold/freeze";
import { mayOverlap } from "@fleet-reloader/domain/hold/freeze-overlap";
import { printable } from "../log/printable.ts";
import {
  type CheckedEntry,
  checkFreezeEntry,
  type FreezeEntry,
  freezeOfEntry,
  readFreezeEntries,
  writeFreezeEntries,
} from "./freeze-entries.ts";
import type { FreezeStore, FreezeStores } from "./freeze-store.ts";

/** The scope of a freeze, as people write it; an empty text restricts nothing. */
export interface WantedScope {
  readonly fleet: boolean;
  readonly cluster: string;
  readonly clusterSelector: string;
  readonly namespace: string;
  readonly workload: string;
  readonly source: string;
}

/** A freeze as people write it. */
export interface WantedFreeze {
  readonly scope: WantedScope;
  readonly reason: string;
  readonly by: string;
  /** An RFC 3339 time, or a duration from now, such as `2h`. */
  readonly until: string;
}

/** Checks a freeze by the same rules as a document that a person wrote. */
export function freezeEntryOf({ by, reason, scope, until }: WantedFreeze, nowMs: number): CheckedEntry {
  return checkFreezeEntry({
    ...writtenScope(scope),
    ...given("reason", reason),
    by,
    ...given("until", endText(until, nowMs)),
  });
}

/** Checks the scope of a freeze to lift by the same rules. */
export function scopeEntryOf(scope: WantedScope): CheckedEntry {
  return checkFreezeEntry(writtenScope(scope));
}

/** Adds a freeze. When the same scope is already frozen, changes its reason and its end. */
export async function declareFreeze(store: FreezeStore, entry: FreezeEntry): Promise<void> {
  await namingStore(
    store,
    store.write((before) => {
      const others = entriesIn(store, before).filter(
        (each) => entryScopeText(each) !== entryScopeText(entry),
      );
      return writeFreezeEntries([...others, entry]);
    }),
  );
}

/** The result of lifting a freeze, with the documents that had it; `absent` lists what is frozen instead. */
export type LiftedFreeze = RemovedFreeze | AbsentFreeze;

interface RemovedFreeze {
  readonly type: "lifted";
  readonly places: string;
  /** The freezes of the documents that may still cover some of the same, each once. An ended freeze may be among them. */
  readonly others: readonly FreezeEntry[];
}

interface AbsentFreeze {
  readonly type: "absent";
  readonly places: string;
  readonly frozen: readonly string[];
  /** The documents that are not there. Where one was before, everything is frozen. */
  readonly gone: readonly string[];
}

/** Removes the freeze of exactly this scope from every document that has it, since each one holds rolls. */
export async function liftFreeze(stores: FreezeStores, entry: FreezeEntry): Promise<LiftedFreeze> {
  const scope = entryScopeText(entry);
  const hasScope = (each: FreezeEntry) => entryScopeText(each) === scope;
  const found = await Promise.all(
    stores.map(async (store) => ({ store, entries: await readEntriesIn(store) })),
  );
  const having = found.filter(({ entries }) => entries?.some(hasScope) === true).map(({ store }) => store);
  const all = found.flatMap(({ entries }) => entries ?? []);
  if (having.length === 0)
    return {
      type: "absent",
      places: storeNames(stores, " or "),
      frozen: all.map(entryScopeText),
      gone: found.flatMap(({ entries, store }) => (entries === undefined ? [store.name] : [])),
    };
  for (const store of having) {
    await namingStore(
      store,
      store.write((before) => writeFreezeEntries(entriesIn(store, before).filter((each) => !hasScope(each)))),
    );
  }
  const lifted = freezeOfEntry(entry).scope;
  const others = new Map(all.map((each) => [JSON.stringify(freezeOfEntry(each)), each]));
  return {
    type: "lifted",
    places: storeNames(having, " and "),
    others: [...others.values()].filter(
      (each) => !hasScope(each) && mayOverlap(lifted, freezeOfEntry(each).scope),
    ),
  };
}

function storeNames(stores: readonly FreezeStore[], separator: string): string {
  return stores.map(({ name }) => name).join(separator);
}

/** The freezes of a document; undefined: it does not exist. Faults when it cannot be read. */
export async function readEntriesIn(store: FreezeStore): Promise<readonly FreezeEntry[] | undefined> {
  const text = await namingStore(store, store.text());
  return text === undefined ? undefined : entriesIn(store, text);
}

/** The scope of an entry in one line. Entries that freeze the same have equal lines. */
export function entryScopeText(entry: FreezeEntry): string {
  return describeScope(freezeOfEntry(entry).scope);
}

/** What an entry freezes, why, who set it and until when, in one line for people. */
export function entryText(entry: FreezeEntry, nowMs: number): string {
  const isOver = isFreezeOver(entry, nowMs);
  const until = entry.until === undefined ? "" : `, until ${entry.until}${isOver ? ", which is over" : ""}`;
  return printable(`${entryScopeText(entry)}: ${entry.reason} (by ${entry.by}${until})`);
}

/** Whether a freeze has ended by itself. */
export function isFreezeOver(entry: FreezeEntry, nowMs: number): boolean {
  return !isInForce(freezeOfEntry(entry), nowMs);
}

/** Adds the name of the document to an error: file system errors do not always have it. */
async function namingStore<T>(store: FreezeStore, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("config.invalid", `${store.name}: ${asFault(error).message}`, { cause: error });
  }
}

/** A document supports years of four digits. */
const latestEndMs = Date.UTC(9999, 11, 31);

/** An unreadable document is not overwritten, since it may contain freezes. */
function entriesIn(store: FreezeStore, text: string | undefined): readonly FreezeEntry[] {
  if (text === undefined) return [];
  const document = readFreezeEntries(text);
  if (document.type === "known") return document.entries;
  throw new Fault("config.invalid", `${store.name}: ${document.why}`);
}

function writtenScope({ cluster, clusterSelector, fleet, namespace, source, workload }: WantedScope) {
  return {
    ...(fleet ? { fleet } : {}),
    ...given("cluster", cluster),
    ...given("clusterSelector", clusterSelector),
    ...given("namespace", namespace),
    ...given("workload", workload),
    ...given("source", source),
  };
}

function given(name: string, value: string): Readonly<Record<string, string>> {
  return value === "" ? {} : { [name]: value };
}

/** A duration counts from now. Other texts are times and stay as they are. */
function endText(text: string, nowMs: number): string {
  const ms = parseDuration(text);
  return ms === undefined || Math.abs(nowMs + ms) > latestEndMs ? text : new Date(nowMs + ms).toISOString();
}
