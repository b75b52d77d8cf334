import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { QueueView, WaitingRequest } from "@fleet-reloader/engine/ports/workqueue";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import { type Keys, queueName } from "../connection/keys.ts";
import { requestId } from "./request-job.ts";

/** Reads what waits without opening a BullMQ queue, which would write. */
export class RedisQueueView implements QueueView {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#keys = keys;
  }

  async waiting(request: Request): Promise<WaitingRequest | undefined> {
    const { connection } = this.#client;
    const shard = this.#keys.shardOf(request.cluster);
    // BullMQ keeps the entry under its deduplication id from the addition to the end of the last run.
    const prefix = this.#keys.queuePrefixes[shard] ?? "";
    const entry = await connection.get(`${prefix}:${queueName}:de:${requestId(request, "change")}`);
    if (entry === null) return undefined;
    const [text, again] = await Promise.all([
      connection.hget(this.#keys.holdTexts(shard), entry),
      connection.zscore(this.#keys.holdTimes(shard), entry),
    ]);
    const held = parseJson(text ?? "");
    const reason = jsonText(held, "reason");
    if (reason === undefined || again === null) return {};
    const untilMs = jsonField(held, "untilMs");
    const until = typeof untilMs === "number" ? { untilMs } : {};
    return { hold: { reason, againAtMs: Number(again), ...until } };
  }
}
