import { asFault } from "@fleet-reloader/domain/fault";
import { ApiResources } from "../discovery/api-resources.ts";
import type { Connection } from "../http/connection.ts";
import { podStatusKind } from "./pod-status.ts";

/** Resolves to the read value, or to `absent` when the cluster has no CSI driver. Other failures stay failures. */
export async function unlessAbsent<T>(
  read: () => Promise<T>,
  absent: T,
  { connection, signal }: { readonly connection: Connection; readonly signal: AbortSignal },
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code } = asFault(error);
    if (code !== "kube.malformed" && code !== "kube.forbidden") throw error;
    const found = await new ApiResources(connection).find(podStatusKind, signal);
    if ("plural" in found) throw error;
    return absent;
  }
}
