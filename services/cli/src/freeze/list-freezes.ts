import { type Freeze, isInForce } from "@fleet-reloader/domain/hold/freeze";
import { entryText, readEntriesIn } from "@fleet-reloader/runtime/freeze/declare-freeze";
import { freezeOfEntry } from "@fleet-reloader/runtime/freeze/freeze-entries";
import type { FreezeStore } from "@fleet-reloader/runtime/freeze/freeze-store";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import type { CommandAnswer } from "../frame/answer.ts";
import { idleText } from "../questions/status-command.ts";

export interface ListFreezesOptions {
  readonly freezeFile: string;
  /** Why each of these freezes covers nothing, in their order; undefined: it covers something, or nobody knows. */
  readonly missingOf: (freezes: readonly Freeze[]) => Promise<readonly (string | undefined)[]>;
}

/** Lists the freezes of each document. Of one that is not there it says what the workers make of that. */
export async function listFreezes(
  stores: readonly FreezeStore[],
  { freezeFile, missingOf }: ListFreezesOptions,
): Promise<CommandAnswer> {
  const nowMs = systemClock.now();
  const documents = await Promise.all(
    stores.map(async (store) => ({ place: store.name, entries: await readEntriesIn(store) })),
  );
  const all = documents.flatMap(({ entries = [] }) => entries.map(freezeOfEntry));
  const inForce = all.filter((freeze) => isInForce(freeze, nowMs));
  const missing = await missingOf(inForce);
  const told = new Map(inForce.map((freeze, at) => [JSON.stringify(freeze), missing[at]]));
  const places = documents.map(({ entries, place }) => {
    const freezes = (entries ?? []).map((entry) => {
      const freeze = freezeOfEntry(entry);
      const own = { isOver: !isInForce(freeze, nowMs), missing: told.get(JSON.stringify(freeze)) };
      return {
        line: `${entryText(entry, nowMs)}${printable(idleText(own.missing))}`,
        json: Object.assign(freeze, own),
      };
    });
    const gone = entries === undefined ? absentText(place === freezeFile) : undefined;
    return { place, gone, freezes };
  });
  return {
    text: () => places.map(documentText).join("\n"),
    json: {
      places: places.map(({ freezes, gone, place }) => ({
        place,
        isThere: gone === undefined,
        freezes: freezes.map(({ json }) => json),
      })),
    },
  };
}

interface ListedPlace {
  readonly place: string;
  readonly gone: string | undefined;
  readonly freezes: readonly { readonly line: string }[];
}

function documentText({ freezes, gone, place }: ListedPlace): string {
  if (gone !== undefined) return `${place}: ${gone}`;
  return freezes.length === 0
    ? `${place}: nothing is frozen`
    : [`${place}:`, ...freezes.map(({ line }) => `  ${line}`)].join("\n");
}

/** What the workers make of a document that is not there, for people. */
export function absentText(isNamedFile: boolean): string {
  return isNamedFile
    ? "it is not there, so everything is frozen where --freeze-file names it; create it, with [] for no freezes"
    : "it is not there: nothing is frozen if it never was there, and everything if it was. fleet-reloader status says so then";
}
