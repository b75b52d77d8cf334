import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { accept, type Collection, resourcePath } from "../resource.ts";

/** Objects per list page: 500 × 0.8 KB of metadata; whole objects are some 5 KB, so fewer of them. */
const metadataPage = 500;
const objectPage = 200;

/** Lists a collection page by page, as one consistent state. Resolves to its resource version. Every failure is a fault. */
export async function listCollection(
  connection: Connection,
  collection: Collection,
  onPage: (items: readonly unknown[]) => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  let resourceVersion = "";
  let continueToken = "";
  do {
    const limit = String(collection.metadataOnly ? metadataPage : objectPage);
    const query = continueToken === "" ? { limit } : { limit, continue: continueToken };
    const path = collectionPath(collection, query);
    const answer = await connection.call(
      {
        method: "GET",
        path,
        isLarge: true,
        accept: collection.metadataOnly ? accept.metadataList : accept.json,
      },
      signal,
    );
    if (answer.status === 404)
      throw new Fault("kube.rejected", `this API server has no ${collection.plural}.${collection.group}`, {
        context: { status: 404 },
      });
    // The JSON of a proxy, for example. Read as a list it would contain no object, and everything would count as deleted.
    if (text(answer.body, "metadata", "resourceVersion") === "")
      throw new Fault("kube.malformed", `GET ${path} at ${connection.server} answered no list`);
    await onPage(jsonList(answer.body, "items"));
    resourceVersion = text(answer.body, "metadata", "resourceVersion");
    continueToken = text(answer.body, "metadata", "continue");
  } while (continueToken !== "");
  return resourceVersion;
}

/** The path of a collection with its selectors and a query. */
export function collectionPath(collection: Collection, query: Readonly<Record<string, string>>): string {
  const { fieldSelector, labelSelector } = collection;
  const selectors = {
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  return `${resourcePath(collection, collection.namespace)}?${new URLSearchParams({ ...selectors, ...query })}`;
}
