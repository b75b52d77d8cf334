import { Fault } from "@fleet-reloader/domain/fault";
import { text } from "../json.ts";
import { type Answer, jsonCall, writePath } from "./call.ts";
import type { Connection } from "./connection.ts";

/** The parameters of a query by name; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

export interface ListedPages {
  /** The path of the collection, without a query. */
  readonly path: string;
  /** Selectors, and how many objects a page has. */
  readonly query: Query;
  readonly accept: string;
}

/** Lists a collection as one consistent state, page by page. A page may also be a refusal, or no list at all. */
export async function* pagesOf(
  connection: Pick<Connection, "call">,
  { path, query, accept }: ListedPages,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  let next = "";
  do {
    const parameters = parametersOf({ ...query, continue: next === "" ? undefined : next });
    const page = { method: "GET", path: `${path}?${parameters}`, isLarge: true, accept } as const;
    const answer = await connection.call(page, signal);
    yield answer;
    next = text(answer.body, "metadata", "continue");
  } while (next !== "");
}

/** The query of a path. */
export function parametersOf(query: Query): URLSearchParams {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}

/** Creates an object in a collection. Faults when its namespace does not exist. */
export async function createObject(
  connection: Pick<Connection, "call">,
  path: string,
  object: { readonly metadata: { readonly namespace: string } },
  signal: AbortSignal,
): Promise<void> {
  const made = await connection.call(jsonCall("POST", writePath(path), object), signal);
  if (made.status === 404)
    throw new Fault("kube.rejected", `there is no namespace ${object.metadata.namespace}`);
}
