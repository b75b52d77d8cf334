import { createHash } from "node:crypto";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { accept } from "../resource.ts";

/**
 * The identity of this API server: the UID of its `kube-system` namespace, which no two clusters share and no rename changes. If it may not be
 * read (namespaced rights only), a digest of the server's address stands in for it.
 */
export async function identify(connection: Connection, signal: AbortSignal): Promise<ClusterId> {
  return (await readUid(connection, signal)) ?? standIn(connection.server);
}

/** Undefined: we may not read it, or there is none. Faults when no API server answers. */
export async function readUid(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, body } = await connection.ask(
      { method: "GET", path: "/api/v1/namespaces/kube-system", accept: accept.metadata },
      signal,
    );
    const uid = text(body, "metadata", "uid");
    if (uid !== "") return uid;
    if (status === 404 && text(body, "kind") === "Status") return undefined;
    // A proxy gives such an answer for any cluster behind it, even one that is merely away.
    throw new Fault(
      "kube.malformed",
      `${connection.server} answered ${status} without the UID of kube-system`,
    );
  } catch (error) {
    if (asFault(error).code !== "kube.forbidden") throw error;
    return undefined;
  }
}

const standInPrefix = "server-";

/** Whether the id stands in for an unknown UID: once the UID is known, the cluster has another id. */
export function isStandIn(cluster: ClusterId): boolean {
  return cluster.startsWith(standInPrefix);
}

function standIn(server: string): ClusterId {
  return `${standInPrefix}${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}
