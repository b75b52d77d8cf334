/** The API gives at most so many elements in one page. */
const pageMax = 1000;

/** A page is asked for with these parameters; an empty cursor is the first one. */
export interface PageParameters {
  readonly limit: string;
  readonly cursor: string;
}

/** A list that a server gives out in pages. */
export interface ServedPages<A extends { readonly next?: string | undefined }, E> {
  readonly ask: (page: PageParameters) => Promise<A>;
  readonly elementsOf: (answer: A) => readonly E[];
  /** At most so many elements; all when absent. */
  readonly limit?: number;
}

/** Asks for page after page until there is no more or there are enough. `first` is the first answer, which counts all. */
export async function allPages<A extends { readonly next?: string | undefined }, E>({
  ask,
  elementsOf,
  limit = Number.POSITIVE_INFINITY,
}: ServedPages<A, E>): Promise<{ readonly first: A; readonly elements: E[] }> {
  const askFrom = (cursor: string, had: number) =>
    ask({ limit: String(Math.min(pageMax, limit - had)), cursor });
  const first = await askFrom("", 0);
  const elements = [...elementsOf(first)];
  let { next } = first;
  while (next !== undefined && elements.length < limit) {
    const answer = await askFrom(next, elements.length);
    const more = elementsOf(answer);
    elements.push(...more);
    // A page that has nothing leads nowhere.
    next = more.length === 0 ? undefined : answer.next;
  }
  return { first, elements };
}
