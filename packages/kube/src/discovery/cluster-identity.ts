import { createHash } from "node:crypto";
import { asFault } from "@fleet-reloader/domain/fault";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { accept } from "../resource.ts";

/**
 * Who this API server is: the UID of its `kube-system` namespace, which no two clusters share and no rename changes.
 * Where that may not be read (namespaced rights only), a digest of the server's address stands for it.
 */
export async function identify(connection: Connection, signal: AbortSignal): Promise<ClusterId> {
  return (await readUid(connection, signal)) ?? standIn(connection.server);
}

/** Undefined: we may not read it, or there is none. Faults when the server does not answer. */
export async function readUid(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await connection.ask(
      { method: "GET", path: "/api/v1/namespaces/kube-system", accept: accept.metadata },
      signal,
    );
    const uid = text(answer.body, "metadata", "uid");
    return uid === "" ? undefined : uid;
  } catch (error) {
    if (asFault(error).code !== "kube.forbidden") throw error;
    return undefined;
  }
}

function standIn(server: string): ClusterId {
  return `server-${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}
