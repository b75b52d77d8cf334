import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";

/** A command that took Redis long. */
export interface SlowCommand {
  readonly ms: number;
  /** Its name and first arguments, cut short. */
  readonly text: string;
}

/** Commands below this are of no interest, in microseconds. */
const tellsFromMicros = 500;
const kept = 10_000;

/** Watches which commands take a Redis of a run's own longest. Commands of clients that have a name are left out. */
export async function watchSlowest(url: string): Promise<{
  /** From the slowest on. */
  readonly slowest: () => Promise<readonly SlowCommand[]>;
  readonly close: () => Promise<void>;
}> {
  const client = new RedisClient({ url }, new CollectedLog());
  const { connection: redis } = client;
  await redis.client("SETNAME", "bench");
  await redis.config("SET", "slowlog-log-slower-than", String(tellsFromMicros));
  await redis.config("SET", "slowlog-max-len", String(kept));
  await redis.slowlog("RESET");
  return {
    async slowest() {
      const entries: unknown = await redis.slowlog("GET", kept);
      return (Array.isArray(entries) ? entries : []).flatMap(commandOf).toSorted((a, b) => b.ms - a.ms);
    },
    close: () => client.close(),
  };
}

/** An entry is: id, time, microseconds, arguments, address, name. */
function commandOf(entry: unknown): readonly SlowCommand[] {
  if (!Array.isArray(entry) || entry[5] !== "") return [];
  const words: readonly unknown[] = Array.isArray(entry[3]) ? entry[3] : [];
  return [{ ms: Number(entry[2]) / 1000, text: words.slice(0, 3).join(" ").slice(0, 60) }];
}
