import type { PartialList } from "@fleet-reloader/engine/overview/registered-clusters";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import { type CursorSeal, elementKey } from "./cursor-seal.ts";

/** No answer is larger, in bytes. A browser on a slow line has it in a second. */
export const answerBytesMax = 200 * 1024;

/** What the elements of a page may take of an answer: the rest is for everything around them. */
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
  /** Undefined: there is no more. */
  readonly next: string | undefined;
}

/** A list that is given out in pages. */
export interface PagedList<T, W> {
  readonly all: readonly T[] | PartialList<T>;
  /** Names an element among the others. */
  readonly keyOf: (element: T) => readonly string[];
  /** What is given out for some of the elements, one for each. */
  readonly write: (elements: readonly T[]) => Promise<readonly W[]> | readonly W[];
}

/** The elements after the cursor: at most so many, and no more than fit into an answer, but at least one. */
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

/** After the element that was given out last, wherever it is now; where it is gone, or only parts are read, at its former place. */
function startAfter<T>(
  all: PagedList<T, unknown>["all"],
  keyOf: (element: T) => readonly string[],
  { at, after }: { readonly at: number; readonly after: string },
): number {
  if ("part" in all) return at;
  // Lists seldom move, so its former place is looked at first.
  const before = all[at - 1];
  if (before !== undefined && elementKey(...keyOf(before)) === after) return at;
  const found = all.findIndex((element) => elementKey(...keyOf(element)) === after);
  return found < 0 ? at : found + 1;
}

/** The first elements that take at most so many bytes as JSON. */
export function fitting<T>(elements: readonly T[], bytesMax: number): readonly T[] {
  let left = bytesMax;
  const end = elements.findIndex((element) => {
    left -= jsonBytes(element) + 1;
    return left < 0;
  });
  return end < 0 ? elements : elements.slice(0, end);
}

/** How many bytes a value takes in an answer. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(printableJson(JSON.stringify(value)));
}

/** Writes elements as they are. */
export function asTheyAre<T>(elements: readonly T[]): readonly T[] {
  return elements;
}
