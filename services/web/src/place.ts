import type { NewsTopic } from "@fleet-reloader/contracts/api/news";
import { terminalPagePath } from "@fleet-reloader/contracts/api/terminal-sign-in";

/** A place on the page: one for each view. */
export type Place = { readonly query: URLSearchParams } & (
  | { readonly view: "now" | "changes" | "clusters" | "held" | "queue" | "audit" }
  | { readonly view: "sign-in" }
  | { readonly view: "terminal" }
  | { readonly view: "change"; readonly change: string }
  | { readonly view: "workload" | "source"; readonly object: PlacedObject }
  | { readonly view: "nowhere" }
);

/** An object of a cluster. */
export interface PlacedObject {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The topics that each view shows. An object is read from its cluster, so there is no news of it. */
const topicsOf: Readonly<Record<Place["view"], readonly NewsTopic[]>> = {
  now: ["changes", "held", "queue", "clusters"],
  changes: ["changes"],
  change: ["changes"],
  clusters: ["clusters", "held"],
  // The history records freezes and failures.
  held: ["held", "changes"],
  queue: ["queue", "held", "changes"],
  audit: ["changes"],
  workload: [],
  source: [],
  "sign-in": [],
  terminal: [],
  nowhere: [],
};

/** Whether a view shows one of these topics. */
export function showsTopic({ view }: Pick<Place, "view">, topics: readonly NewsTopic[]): boolean {
  return topicsOf[view].some((topic) => topics.includes(topic));
}

/** Whether an address is a view of this page. The queue board, the history and the redirect to an issuer are separate pages. */
export function isView(address: string): boolean {
  return /^\/($|\?|sign-in(\/terminal)?(\?|$)|(audit|changes|clusters|held|queue|workloads|sources)([/?]|$))/.test(
    address,
  );
}

const lists = ["changes", "clusters", "held", "queue", "audit"] as const;

/** The API's name for the question of a view, where it differs. */
const questionNames: Readonly<Record<string, string>> = { now: "status", audit: "operators" };

/** The place of an address. */
export function placeOfAddress(path: string, search: string): Place {
  const query = new URLSearchParams(search);
  if (path === terminalPagePath) return { view: "terminal", query };
  const [first = "", ...rest] = pathParts(path);
  if (rest.length === 0) return { view: viewOf(first), query };
  if (first === "changes" && rest.length === 1) return { view: "change", change: rest[0] ?? "", query };
  const object = placedObject(rest);
  if (first === "workloads" && object !== undefined) return { view: "workload", object, query };
  if (first === "sources" && object !== undefined) return { view: "source", object, query };
  return { view: "nowhere", query };
}

/** The view of an address with a single segment. */
function viewOf(first: string): "now" | "sign-in" | "nowhere" | (typeof lists)[number] {
  if (first === "") return "now";
  if (first === "sign-in") return "sign-in";
  return lists.find((list) => list === first) ?? "nowhere";
}

function placedObject(parts: readonly string[]): PlacedObject | undefined {
  const [cluster = "", kind = "", namespace = "", name = ""] = parts;
  const isWhole = parts.length === 4 && parts.every((part) => part !== "");
  return isWhole ? { cluster, kind, namespace, name } : undefined;
}

function pathParts(path: string): readonly string[] {
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return ["", ""];
  }
}

/** The question to the API for a place; undefined when it has none. An empty field of a form is no filter. */
export function questionOf(place: Place): string | undefined {
  if (place.view === "nowhere" || place.view === "sign-in") return undefined;
  if (place.view === "terminal") return "/api/v1/session";
  const path =
    place.view === "change"
      ? addressWith("changes", place.change)
      : "object" in place
        ? objectAddress(`${place.view}s`, place.object)
        : `/${questionNames[place.view] ?? place.view}`;
  const given = [...place.query].filter(([, value]) => value.trim() !== "");
  return `/api/v1${path}${queryText(given)}`;
}

/** The address of the same list at another cursor. */
export function addressOfPage(path: string, query: URLSearchParams, cursor: string): string {
  const rest = [...query].filter(([name]) => name !== "cursor");
  return `${path}${queryText([...rest, ["cursor", cursor]])}`;
}

/** The address of one change. Its `since` is a time before the change: the history is read from there. */
export function changeAddress(id: string, time: string): string {
  // Another cluster may have recorded the change a moment earlier than the shown record.
  const since = new Date(Date.parse(time) - 60_000).toISOString();
  return `${addressWith("changes", id)}${queryText([["since", since]])}`;
}

/** The list of requests that are on hold for a reason. */
export function heldAddress(reason: string): string {
  return `/held${queryText([["reason", reason]])}`;
}

/** The address of a workload, or of a source. */
export function objectAddress(list: string, { cluster, kind, namespace, name }: PlacedObject): string {
  return addressWith(list, cluster, kind, namespace, name);
}

function addressWith(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

function queryText(pairs: readonly (readonly string[])[]): string {
  const text = pairs
    .map(([name = "", value = ""]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return text === "" ? "" : `?${text}`;
}
