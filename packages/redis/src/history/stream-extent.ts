import type { RedisClient } from "../connection/client.ts";
import { readList, readText } from "../index/index-entry.ts";

/** The first and last entry of a stream, and how many were ever added. */
export interface StreamExtent {
  /** The newest id; empty when there has been none. */
  readonly lastId: string;
  /** The number of records ever added. A smaller number than before means that Redis lost the stream. */
  readonly added: number;
  /** The oldest id that it still has; empty when it has none. */
  readonly firstId: string;
}

/** Costs Redis the same time whatever the length of the stream. */
export async function streamExtent(
  stream: string,
  { connection }: Pick<RedisClient, "connection">,
): Promise<StreamExtent> {
  try {
    const flat = readList(await connection.xinfo("STREAM", stream));
    const fieldOf = (name: string) => flat[flat.indexOf(name) + 1];
    return {
      lastId: readText(fieldOf("last-generated-id")),
      added: Number(fieldOf("entries-added")),
      firstId: Number(fieldOf("length")) === 0 ? "" : readText(fieldOf("recorded-first-entry-id")),
    };
  } catch (error) {
    if (error instanceof Error && /no such key/i.test(error.message)) return noStream;
    throw error;
  }
}

/** The extent of a stream that was never written. */
export const noStream: StreamExtent = { lastId: "", added: 0, firstId: "" };
