import { setTimeout as delay } from "node:timers/promises";
import type { KubeObject } from "../objects/kube-object.ts";
import { ApiError, badRequest, expired, tooLargeResourceVersion } from "../status-errors.ts";
import type { ObjectStore } from "../store/store.ts";
import { keyOf } from "../store/table.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import { checkListOptions, parseVersion, type Selection } from "./list-query.ts";

/** One answer to a list request: the objects and what stands in the list's own `metadata`. */
export interface ListPage {
  readonly objects: Iterable<KubeObject>;
  readonly version: number;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
}

interface Start {
  readonly version: number;
  readonly afterKey: string | undefined;
  readonly remaining: number | undefined;
}

const tooOldToken =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

export async function listPage(
  store: ObjectStore,
  selection: Selection,
  query: URLSearchParams,
  tooLargeWaitMs: number,
): Promise<ListPage> {
  checkListOptions(query);
  const limit = parseLimit(query);
  const start = await startOf(store, selection, query, limit, tooLargeWaitMs);
  const { type, namespace } = selection;
  const scan = store.scanAt(start.version, type, namespace, start.afterKey);
  if (limit === 0) {
    return {
      objects: filtered(scan, selection),
      version: start.version,
      continueToken: undefined,
      remaining: undefined,
    };
  }
  const objects: KubeObject[] = [];
  let beyond = 0;
  for (const object of scan) {
    if (!selection.matches(object)) continue;
    if (objects.length < limit) objects.push(object);
    else {
      beyond += 1;
      // Counting to the end is needed once; later pages subtract.
      if (!selection.isWhole || start.remaining !== undefined) break;
    }
  }
  const last = objects.at(-1);
  if (beyond === 0 || last === undefined) {
    return { objects, version: start.version, continueToken: undefined, remaining: undefined };
  }
  const counted = start.remaining === undefined ? beyond : start.remaining - objects.length;
  const remaining = selection.isWhole ? counted : undefined;
  const continueToken = encodeContinue({ version: start.version, afterKey: keyOf(last), remaining });
  return { objects, version: start.version, continueToken, remaining };
}

/** A read that must not be older than `version` waits a moment for it, then 504. */
export async function waitForVersion(
  store: ObjectStore,
  version: number,
  tooLargeWaitMs: number,
): Promise<void> {
  if (version <= store.version) return;
  await delay(tooLargeWaitMs);
  if (version > store.version) throw tooLargeResourceVersion(version, store.version);
}

async function startOf(
  store: ObjectStore,
  selection: Selection,
  query: URLSearchParams,
  limit: number,
  tooLargeWaitMs: number,
): Promise<Start> {
  const token = query.get("continue") ?? "";
  const version = parseVersion(query, "list");
  if (token !== "") return startAfter(store, selection, token, version);
  if (version !== undefined && version > 0) {
    await waitForVersion(store, version, tooLargeWaitMs);
    // Without a match rule a version with a limit means exactly that version: the old way of paging.
    const match = query.get("resourceVersionMatch") ?? (limit > 0 ? "Exact" : "NotOlderThan");
    if (match === "Exact") {
      if (version < store.floor(selection.type))
        throw expired(`The provided resource version is too old: ${version}`);
      return { version, afterKey: undefined, remaining: undefined };
    }
  }
  return { version: store.version, afterKey: undefined, remaining: undefined };
}

function startAfter(
  store: ObjectStore,
  selection: Selection,
  text: string,
  version: number | undefined,
): Start {
  if (version !== undefined && version !== 0) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const token = decodeContinue(text);
  if (token.version < 0) return { version: store.version, afterKey: token.afterKey, remaining: undefined };
  if (token.version < store.floor(selection.type) || token.version > store.version) {
    const fresh = encodeContinue({ version: -1, afterKey: token.afterKey, remaining: undefined });
    throw new ApiError({ ...expired(tooOldToken).status, metadata: { continue: fresh } });
  }
  return { version: token.version, afterKey: token.afterKey, remaining: token.remaining };
}

function parseLimit(query: URLSearchParams): number {
  const text = query.get("limit") ?? "";
  if (text === "") return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Math.max(0, Number(text));
}

function* filtered(objects: Iterable<KubeObject>, selection: Selection): Generator<KubeObject> {
  for (const object of objects) if (selection.matches(object)) yield object;
}
