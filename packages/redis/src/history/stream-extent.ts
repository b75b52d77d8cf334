import type { RedisClient } from "../connection/client.ts";
import { readList, readText } from "../index/index-entry.ts";

/** How far a stream is written, and where it begins. */
export interface StreamExtent {
  /** The newest id; empty: there has been none. */
  readonly lastId: string;
  /** How many records it has ever been given: fewer than before means that Redis lost it. */
  readonly added: number;
  /** The oldest id that it still has; empty: it has none. */
  readonly firstId: string;
}

/** Takes Redis the same time whatever the length of the stream. */
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

/** Of a stream that nothing was ever written into. */
export const noStream: StreamExtent = { lastId: "", added: 0, firstId: "" };
