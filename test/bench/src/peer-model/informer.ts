import { ApiClient, type ApiTarget, apiPath } from "@fleet-reloader/testkit/api-client";
import { openWatch, type WatchEvent } from "@fleet-reloader/testkit/open-watch";
import { expectOk } from "../api/expect-ok.ts";
import { items, text } from "../api/field.ts";

/**
 * Kinder to the peer than client-go is, whose first list comes in one piece (resourceVersion 0 ignores a limit): without
 * pages a list of some hundred MB would not fit into one string here.
 */
const PAGE = 500;

export type SourceKind = "ConfigMap" | "Secret";

export interface InformerOptions {
  readonly target: ApiTarget;
  readonly kind: SourceKind;
  readonly namespace: string | undefined;
  /** An object of the cache became another one; the first list is not told (compat 4.9). */
  readonly onUpdate: (before: unknown, after: unknown) => void;
}

/** List, then watch, and keep every object whole: data, annotations and managed fields (compat 4.8). */
export async function startInformer(options: InformerOptions): Promise<void> {
  const { target, kind, namespace } = options;
  const cache = new Map<string, unknown>();
  const client = new ApiClient(target);
  const path = apiPath(kind, namespace);
  let next = "";
  let version = "";
  do {
    const query = `limit=${PAGE}${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`;
    const page = await expectOk(`list ${kind}`, client.send("GET", `${path}?${query}`));
    for (const item of items(page)) cache.set(keyOf(item), item);
    version = text(page, "metadata", "resourceVersion");
    next = text(page, "metadata", "continue");
  } while (next !== "");
  const event = ({ type, object }: WatchEvent): void => {
    const key = keyOf(object);
    const before = cache.get(key);
    if (type === "DELETED") cache.delete(key);
    if (type !== "ADDED" && type !== "MODIFIED") return;
    cache.set(key, object);
    if (before !== undefined) options.onUpdate(before, object);
  };
  const broken = (error: Error): void => {
    throw error;
  };
  await openWatch(target, `${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`, {
    event,
    broken,
  });
}

function keyOf(object: unknown): string {
  return `${text(object, "metadata", "namespace")}/${text(object, "metadata", "name")}`;
}
