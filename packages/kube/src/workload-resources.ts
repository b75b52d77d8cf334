import { Fault } from "@fleet-reloader/domain/fault";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { Connection } from "./connection.ts";
import { list, text } from "./json.ts";

/** The resource of a kind, as it stands in URLs. */
export interface WorkloadResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** A resource, or why this API server has none. */
export type Lookup = WorkloadResource | { readonly absent: string };

/**
 * Which resources an API server has for the kinds of workloads. Asked is its discovery, which everybody may read: a list of what
 * does not exist is answered with 403, as if it were a right that is missing, to all but administrators.
 */
export class WorkloadResources {
  readonly #connection: Connection;
  /** What was found once: a resource that goes away answers 404 by itself. */
  readonly #found = new Map<string, WorkloadResource>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Faults when the API server does not answer: no answer is not an absence. */
  async find(kind: WorkloadKind, signal: AbortSignal): Promise<Lookup> {
    const { group, version, plural } = kind;
    if (!kind.isOptional && plural !== undefined) return { group, version, plural };
    const known = this.#found.get(kind.kind);
    if (known !== undefined) return known;
    const looked = await this.#discover(kind, signal);
    if ("plural" in looked) this.#found.set(kind.kind, looked);
    return looked;
  }

  /** It was there and is no more: the next look is a new one. */
  forget(kind: WorkloadKind): void {
    this.#found.delete(kind.kind);
  }

  async #discover({ apiKind, group, version, plural }: WorkloadKind, signal: AbortSignal): Promise<Lookup> {
    const groupVersion = `${group}/${version}`;
    // Below a group that does not exist there is not even JSON, so the list of groups comes first.
    const groups = await this.#connection.call({ method: "GET", path: "/apis" }, signal);
    expectKind(groups.body, "APIGroupList");
    const served = list(groups.body, "groups").flatMap((one) => list(one, "versions"));
    if (!served.some((one) => text(one, "groupVersion") === groupVersion))
      return { absent: `this API server has no ${groupVersion}` };
    const resources = await this.#connection.call({ method: "GET", path: `/apis/${groupVersion}` }, signal);
    expectKind(resources.body, "APIResourceList");
    const found = list(resources.body, "resources").find(
      (one) => text(one, "kind") === apiKind && !text(one, "name").includes("/"),
    );
    const name = text(found, "name");
    if (name === "") return { absent: `this API server has no ${apiKind} in ${groupVersion}` };
    return { group, version, plural: plural ?? name };
  }
}

/** JSON of somebody else's, say of a proxy, is no list without groups. */
function expectKind(body: unknown, kind: string): void {
  if (text(body, "kind") !== kind) throw new Fault("kube.malformed", `what was answered is no ${kind}`);
}
