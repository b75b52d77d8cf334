import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ApiResources, ResourceKind } from "../../discovery/api-resources.ts";
import type { Collection } from "../../resource.ts";
import { OptionalStream } from "../../watch/optional-stream.ts";
import { Reflector } from "../../watch/reflector.ts";
import type { Hub } from "./hub.ts";

export interface HubObjects<T> {
  readonly kind: ResourceKind;
  /** Finds the resource of the kind. */
  readonly resources: Pick<ApiResources, "find" | "forget">;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly parse: (object: unknown) => T | undefined;
  readonly handler: StreamHandler<T>;
}

/** The list + watch of a kind that the hub may not have. */
export function optionalHubStream<T>(hub: Hub, objects: HubObjects<T>): Stream {
  const { kind, resources, namespace, parse, handler } = objects;
  const { clock, log } = hub;
  return new OptionalStream({
    kind,
    resources,
    reflect: (resource) => hubReflector(hub, { ...resource, namespace, metadataOnly: false }, parse, handler),
    clock,
    log,
  });
}

/** The list + watch of one collection of the hub. */
export function hubReflector<T>(
  { connection, probe, clock, random, log, timings }: Hub,
  collection: Collection,
  parse: (object: unknown) => T | undefined,
  handler: StreamHandler<T>,
): Stream {
  return new Reflector({ connection, collection, parse, handler, probe, clock, random, log, timings });
}
