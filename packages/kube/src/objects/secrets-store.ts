import { asFault } from "@fleet-reloader/domain/fault";
import { ApiResources } from "../discovery/api-resources.ts";
import type { Connection } from "../http/connection.ts";
import { podStatusKind } from "./pod-status.ts";

/** What was read; or, where there is no CSI driver to read anything of, that. A failure that has another cause stays one. */
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
    const reconciled = await new ApiResources(connection).find(podStatusKind, signal);
    if ("plural" in reconciled) throw error;
    return absent;
  }
}
