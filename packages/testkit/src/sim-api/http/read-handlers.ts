import { listPage, waitForVersion } from "../read/list-page.ts";
import { checkWatchOptions, parseSelection, parseVersion } from "../read/list-query.ts";
import type { WatchHub } from "../read/watch-hub.ts";
import { badRequest, methodNotAllowed, unknownResource } from "../status-errors.ts";
import type { Registry } from "../store/registry.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Call } from "./call.ts";
import { type Form, negotiate } from "./negotiate.ts";
import { type RowObject, renderList, renderObject } from "./render.ts";
import { sendJson, sendPieces } from "./respond.ts";
import type { ResourceRoute } from "./route.ts";
import { toScale } from "./scale.ts";
import { serveWatch } from "./watch-stream.ts";

export interface ReadDeps {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly hub: WatchHub;
  /** How long a read waits for a version that the server has not reached. */
  readonly tooLargeWaitMs: number;
  /** Events that may wait for a slow watcher. */
  readonly watchBufferMax: number;
}

const single: ReadonlySet<Form> = new Set(["object", "metadata", "table"]);
const many: ReadonlySet<Form> = new Set(["object", "metadata-list", "table"]);

export async function serveRead(
  deps: ReadDeps,
  call: Call,
  verb: "get" | "list" | "watch",
  target: ResourceRoute,
): Promise<void> {
  if (verb === "get") return serveGet(deps, call, target);
  if (target.subresource !== undefined) throw methodNotAllowed();
  if (verb === "list") return serveList(deps, call, target);
  openWatch(deps, call, target);
}

async function serveGet(deps: ReadDeps, call: Call, target: ResourceRoute): Promise<void> {
  const { type, namespace = "", name = "", subresource } = target;
  const isServed =
    subresource === undefined ||
    (subresource === "status" && type.hasStatus) ||
    (subresource === "scale" && type.hasScale);
  if (!isServed) throw unknownResource();
  const form = negotiate(call.request.headers.accept, single);
  await waitForVersion(deps.store, parseVersion(call.query, "get") ?? 0, deps.tooLargeWaitMs);
  const object = deps.registry.read(type, namespace, name);
  const body = subresource === "scale" ? toScale(object) : renderObject(type, object, form, rowObject(call));
  sendJson(call.request, call.response, 200, body);
}

async function serveList(deps: ReadDeps, call: Call, target: ResourceRoute): Promise<void> {
  const { type, namespace, name } = target;
  const form = negotiate(call.request.headers.accept, many);
  const selection = parseSelection(type, namespace, name, call.query);
  const page = await listPage(deps.store, selection, call.query, deps.tooLargeWaitMs);
  await sendPieces(call.request, call.response, renderList(type, page, form, rowObject(call)));
}

function openWatch(deps: ReadDeps, call: Call, target: ResourceRoute): void {
  const { type, namespace, name } = target;
  const form = negotiate(call.request.headers.accept, single);
  checkWatchOptions(call.query);
  const row = rowObject(call);
  serveWatch(call.request, call.response, {
    hub: deps.hub,
    start: {
      selection: parseSelection(type, namespace, name, call.query),
      version: parseVersion(call.query, "watch"),
      wantsBookmarks: ["true", "1"].includes(call.query.get("allowWatchBookmarks") ?? ""),
    },
    form: form === "table" ? `table ${row}` : form,
    render: (object) => renderObject(type, object, form, row),
    timeoutSeconds: parseTimeout(call.query),
    bufferMax: deps.watchBufferMax,
  });
}

function parseTimeout(query: URLSearchParams): number | undefined {
  const text = query.get("timeoutSeconds") ?? "";
  if (text === "" || text === "0") return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

function rowObject(call: Call): RowObject {
  const wanted = call.query.get("includeObject");
  return wanted === "Object" || wanted === "None" ? wanted : "Metadata";
}
