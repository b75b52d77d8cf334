import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { withTemplateOf } from "@fleet-reloader/engine/observe/template-owner";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { type ApiResource, ApiResources } from "../discovery/api-resources.ts";
import type { Connection } from "../http/connection.ts";
import { resourcePath } from "../resource.ts";
import { liveWorkload } from "./metadata.ts";
import { absentOr } from "./object-answer.ts";

/** The workloads of one API server: which kind has which resource, and what is there. */
export class WorkloadObjects {
  readonly resources: ApiResources;
  readonly #connection: Connection;
  readonly #kinds: readonly WorkloadKind[];

  constructor(connection: Connection, served: readonly WorkloadKind[]) {
    this.#connection = connection;
    this.resources = new ApiResources(connection);
    // A CronJob makes Jobs and a Rollout refers to Deployments, whether those are served or not.
    this.#kinds = [...served, ...knownKinds];
  }

  kindOf(ref: WorkloadRef): WorkloadKind {
    const kind = this.#kinds.find((known) => known.kind === ref.kind);
    if (kind === undefined)
      throw new Fault("request.invalid", `a request names the unknown workload kind ${ref.kind}`);
    return kind;
  }

  /** Undefined: the API server does not have the kind. */
  async resource(ref: WorkloadRef, signal: AbortSignal): Promise<ApiResource | undefined> {
    const reconciled = await this.resources.find(this.kindOf(ref), signal);
    return "plural" in reconciled ? reconciled : undefined;
  }

  /** With the template of the object it refers to, if it does. */
  async read(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined> {
    const live = await this.#read(ref, signal);
    return live && (await this.withTemplate(live, signal));
  }

  async withTemplate(live: LiveWorkload, signal: AbortSignal): Promise<LiveWorkload> {
    const owner = this.kindOf(live.ref).templateOwner?.(live.object);
    const found = owner && (await this.#read(owner, signal));
    return found === undefined ? live : withTemplateOf(live, found);
  }

  async #read(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined> {
    const resource = await this.resource(ref, signal);
    if (resource === undefined) return undefined;
    const path = resourcePath(resource, ref.namespace, ref.name);
    try {
      const answer = await this.#connection.call({ method: "GET", path }, signal);
      return absentOr(answer, ref, (object) => liveWorkload(this.kindOf(ref), object));
    } catch (error) {
      // Where a custom resource was, there is not even JSON. Whether it is gone the next look will tell.
      if (asFault(error).context.status === 404) this.resources.forget(this.kindOf(ref));
      throw error;
    }
  }
}
