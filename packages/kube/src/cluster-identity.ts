import { createHash } from "node:crypto";
import { asFault } from "@fleet-reloader/domain/fault";
import type { ClusterId } from "@fleet-reloader/engine/request";
import type { Connection } from "./connection.ts";
import { text } from "./json.ts";
import { accept } from "./resource.ts";

/**
 * Who this API server is: the UID of its `kube-system` namespace, which no two clusters share and no rename changes.
 * Where that may not be read (namespaced rights only), a digest of the server's address stands for it.
 */
export async function identify(connection: Connection, signal: AbortSignal): Promise<ClusterId> {
  try {
    const answer = await connection.call(
      { method: "GET", path: "/api/v1/namespaces/kube-system", accept: accept.metadata },
      signal,
    );
    const uid = text(answer.body, "metadata", "uid");
    if (uid !== "") return uid;
  } catch (error) {
    if (asFault(error).code !== "kube.forbidden") throw error;
  }
  return `server-${createHash("sha256").update(connection.server).digest("hex").slice(0, 32)}`;
}
