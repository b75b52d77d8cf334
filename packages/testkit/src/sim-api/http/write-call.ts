import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Registry } from "../store/registry.ts";
import type { ObjectStore } from "../store/store.ts";
import type { ResourceRoute, Verb } from "./route.ts";

export interface WriteRequest {
  readonly verb: Verb;
  readonly route: ResourceRoute;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly user: string;
}

export interface WriteDeps {
  readonly store: ObjectStore;
  readonly registry: Registry;
}

export interface WriteAnswer {
  readonly code: number;
  /** An object that can be shown in other forms, or a body that goes out as it is. */
  readonly object?: KubeObject;
  readonly body?: JsonObject;
}
