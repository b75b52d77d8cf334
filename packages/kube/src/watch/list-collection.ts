import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import { pagesOf, parametersOf, type Query } from "../http/collection-calls.ts";
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
  const { fieldSelector, labelSelector, metadataOnly } = collection;
  const path = resourcePath(collection, collection.namespace);
  const pages = {
    path,
    query: { fieldSelector, labelSelector, limit: String(metadataOnly ? metadataPage : objectPage) },
    accept: metadataOnly ? accept.metadataList : accept.json,
  };
  let resourceVersion = "";
  for await (const { status, body } of pagesOf(connection, pages, signal)) {
    if (status === 404)
      throw new Fault("kube.rejected", `this API server has no ${collection.plural}.${collection.group}`, {
        context: { status },
      });
    resourceVersion = text(body, "metadata", "resourceVersion");
    // For example the JSON of a proxy. Read as a list it would contain no object, and everything would count as deleted.
    if (resourceVersion === "")
      throw new Fault("kube.malformed", `GET ${path} at ${connection.server} answered no list`);
    await onPage(jsonList(body, "items"));
  }
  return resourceVersion;
}

/** The path of a collection with its selectors and a query. */
export function collectionPath(collection: Collection, query: Query): string {
  const { fieldSelector, labelSelector, namespace } = collection;
  return `${resourcePath(collection, namespace)}?${parametersOf({ fieldSelector, labelSelector, ...query })}`;
}
