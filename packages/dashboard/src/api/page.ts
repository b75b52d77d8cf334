import type { PartialList } from "@fleet-reloader/engine/overview/registered-clusters";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import { type CursorSeal, elementKey } from "./cursor-seal.ts";

/** Maximum size of an answer, in bytes. A browser on a slow line receives it in a second. */
export const answerBytesMax = 200 * 1024;

/** Maximum size of a page's elements in an answer. The rest is for everything around them. */
const pageBytesMax = 150 * 1024;

export interface PageRequest {
  /** The question without its limit and its cursor. */
  readonly query: string;
  readonly limit: number;
  /** Absent: the first page. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly count: number;
  readonly elements: readonly T[];
  /** Undefined: this is the last page. */
  readonly next: string | undefined;
}

/** A list that is returned page by page. */
export interface PagedList<T, W> {
  readonly all: readonly T[] | PartialList<T>;
  /** A key that identifies an element in the list. */
  readonly keyOf: (element: T) => readonly string[];
  /** Turns elements into their form in the answer, one for each. */
  readonly write: (elements: readonly T[]) => Promise<readonly W[]> | readonly W[];
}

/** The elements after the cursor: at most `limit`, and as many as fit into an answer, but at least one. */
export async function pageOf<T, W>(
  { all, keyOf, write }: PagedList<T, W>,
  { query, limit, cursor }: PageRequest,
  seal: CursorSeal,
): Promise<Page<W>> {
  const before = cursor === undefined ? undefined : seal.open(query, cursor);
  const start = before === undefined ? 0 : startAfter(all, keyOf, before);
  const wanted = await partOf(all, start, start + limit);
  const written = await write(wanted);
  const elements = written.slice(0, Math.max(1, fitting(written, pageBytesMax).length));
  const end = start + elements.length;
  const last = wanted[elements.length - 1];
  const isLast = last === undefined || end >= countOf(all);
  const next = isLast ? undefined : seal.seal(query, { at: end, after: elementKey(...keyOf(last)) });
  return { count: countOf(all), elements, next };
}

async function partOf<T>(
  all: PagedList<T, unknown>["all"],
  start: number,
  end: number,
): Promise<readonly T[]> {
  return "part" in all ? await all.part(start, end) : all.slice(start, end);
}

function countOf(all: PagedList<unknown, unknown>["all"]): number {
  return "part" in all ? all.count : all.length;
}

/**
 * The place after the last element of the previous page, wherever that element is now. If it is gone, or the list is read in parts, the former
 * place counts.
 */
function startAfter<T>(
  all: PagedList<T, unknown>["all"],
  keyOf: (element: T) => readonly string[],
  { at, after }: { readonly at: number; readonly after: string },
): number {
  if ("part" in all) return at;
  // Lists seldom change, so the former place is checked first.
  const before = all[at - 1];
  if (before !== undefined && elementKey(...keyOf(before)) === after) return at;
  const found = all.findIndex((element) => elementKey(...keyOf(element)) === after);
  return found < 0 ? at : found + 1;
}

/** The first elements that fit into this many bytes as JSON. */
export function fitting<T>(elements: readonly T[], bytesMax: number): readonly T[] {
  let left = bytesMax;
  const end = elements.findIndex((element) => {
    left -= jsonBytes(element) + 1;
    return left < 0;
  });
  return end < 0 ? elements : elements.slice(0, end);
}

/** The size of a value in an answer, in bytes. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(printableJson(JSON.stringify(value)));
}

/** Writes elements as they are. */
export function asTheyAre<T>(elements: readonly T[]): readonly T[] {
  return elements;
}
