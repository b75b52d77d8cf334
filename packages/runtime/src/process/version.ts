import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** The product's version; the release sets it here and in package.json together. */
export const version = "0.1.0";

/** Our User-Agent for API servers. */
export const userAgent = `fleet-reloader/${version}`;

/** The name of this process: in a cluster that of the pod. */
export function instanceName(): string {
  return hostname();
}

/** A name that no other process has, and no later process on this host. */
export function uniqueInstanceName(): string {
  return `${instanceName()}-${randomUUID().slice(0, 8)}`;
}
