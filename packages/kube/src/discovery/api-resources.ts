import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";

/** A kind as the API server names it. */
export type ResourceKind = Pick<WorkloadKind, "apiKind" | "group" | "version" | "plural" | "isOptional">;

/** The resource of a kind as it appears in URLs. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** A resource, or why this API server has none. */
export type Lookup = ApiResource | { readonly absent: string };

/**
 * Which resources an API server has for optional kinds. It uses discovery, which everybody may read: a list of a missing resource is answered
 * with 403, like a missing right, to all but administrators.
 */
export class ApiResources {
  readonly #connection: Connection;
  /** Resources that were found. A removed one answers 404. */
  readonly #found = new Map<string, ApiResource>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Faults when the API server does not answer: no answer is not an absence. */
  async find(kind: ResourceKind, signal: AbortSignal): Promise<Lookup> {
    const { group, version, plural } = kind;
    if (!kind.isOptional && plural !== undefined) return { group, version, plural };
    const known = this.#found.get(resourceKeyOf(kind));
    if (known !== undefined) return known;
    const lookup = await this.#discover(kind, signal);
    if ("plural" in lookup) this.#found.set(resourceKeyOf(kind), lookup);
    return lookup;
  }

  /** Forgets a resource that has gone away, so that the next search asks the API server. */
  forget(kind: ResourceKind): void {
    this.#found.delete(resourceKeyOf(kind));
  }

  async #discover({ apiKind, group, version, plural }: ResourceKind, signal: AbortSignal): Promise<Lookup> {
    const groupVersion = `${group}/${version}`;
    // Below a missing group the answer is not even JSON, so the list of groups is read first.
    const groups = await this.#connection.call({ method: "GET", path: "/apis" }, signal);
    expectKind(groups.body, "APIGroupList");
    const served = jsonList(groups.body, "groups").flatMap((one) => jsonList(one, "versions"));
    if (!served.some((one) => text(one, "groupVersion") === groupVersion))
      return { absent: `this API server has no ${groupVersion}` };
    const resources = await this.#connection.call({ method: "GET", path: `/apis/${groupVersion}` }, signal);
    expectKind(resources.body, "APIResourceList");
    const found = jsonList(resources.body, "resources").find(
      (one) => text(one, "kind") === apiKind && !text(one, "name").includes("/"),
    );
    const name = text(found, "name");
    if (name === "") return { absent: `this API server has no ${apiKind} in ${groupVersion}` };
    return { group, version, plural: plural ?? name };
  }
}

function resourceKeyOf({ apiKind, group, version }: ResourceKind): string {
  return `${group}/${version}/${apiKind}`;
}

/** JSON from elsewhere, such as a proxy, must not count as an empty list of groups. */
function expectKind(body: unknown, kind: string): void {
  if (text(body, "kind") !== kind) throw new Fault("kube.malformed", `what was answered is no ${kind}`);
}
