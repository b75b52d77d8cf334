import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** The product's version; the release sets it here and in package.json together. */
export const version = "0.1.0";

/** How we name ourselves to API servers. */
export const userAgent = `fleet-reloader/${version}`;

/** Which of our processes this is: in a cluster the name of the pod. */
export function instanceName(): string {
  return hostname();
}

/** A name that no other process has, nor one on this host that is started after us. */
export function uniqueInstanceName(): string {
  return `${instanceName()}-${randomUUID().slice(0, 8)}`;
}
