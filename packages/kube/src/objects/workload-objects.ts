import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { withTemplateOf } from "@fleet-reloader/engine/observe/template-owner";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { type ApiResource, ApiResources } from "../discovery/api-resources.ts";
import type { Connection } from "../http/connection.ts";
import { resourcePath } from "../resource.ts";
import { liveWorkload } from "./live-objects.ts";
import { absentOr } from "./object-answer.ts";

/** The workloads of one API server, and the resource of each kind. */
export class WorkloadObjects {
  readonly resources: ApiResources;
  readonly #connection: Connection;
  readonly #kinds: readonly WorkloadKind[];

  constructor(connection: Connection, served: readonly WorkloadKind[]) {
    this.#connection = connection;
    this.resources = new ApiResources(connection);
    // A CronJob makes Jobs, and a Rollout may refer to Deployments, even when those kinds are excluded.
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
    const found = await this.resources.find(this.kindOf(ref), signal);
    return "plural" in found ? found : undefined;
  }

  /** Reads a workload, with the template of the object that it refers to, if it refers to one. */
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
      // Where a custom resource was removed, the answer is not even JSON. The next read shows whether the workload is gone.
      if (asFault(error).context.status === 404) this.resources.forget(this.kindOf(ref));
      throw error;
    }
  }
}
