import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Request } from "@fleet-reloader/engine/ports/request";
import {
  type ObservedVersion,
  streamName,
  type WorkloadRecord,
  type WorkloadRecords,
} from "@fleet-reloader/engine/ports/workload-records";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import { encodeApplied, readApplied, readSeen, readServed } from "./workload-record.ts";

/**
 * KEYS: noted, seen, unlooked. ARGV: workload key, its applied state or '', the observed resourceVersion. An event of a newer version stays.
 * resourceVersions are decimal integers: the longer one is larger, then the lexically larger one (KEP-5504).
 */
const appliedScript = new Script(`
local workload, note, version = ARGV[1], ARGV[2], ARGV[3]
if note == '' then redis.call('HDEL', KEYS[1], workload) else redis.call('HSET', KEYS[1], workload, note) end
local event = redis.call('HGET', KEYS[2], workload)
local seen = event and cjson.decode(event)[3]
if type(seen) == 'string' and (#seen > #version or (#seen == #version and seen > version)) then return 0 end
redis.call('HDEL', KEYS[2], workload)
redis.call('SREM', KEYS[3], workload)
return 1
`);

/** KEYS: noted, seen, served. ARGV: workload key, its two streams. One call, because every roll waits for it. */
const readScript = new Script(`
local served = redis.call('HMGET', KEYS[3], ARGV[2], ARGV[3])
return { redis.call('HGET', KEYS[1], ARGV[1]), redis.call('HGET', KEYS[2], ARGV[1]), served[1], served[2] }
`);

function readTexts(answer: unknown): readonly (string | undefined)[] {
  return Array.isArray(answer) ? answer.map((text) => (typeof text === "string" ? text : undefined)) : [];
}

export interface RedisWorkloadRecordsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
}

/** The records of the workloads of all clusters, in Redis. */
export class RedisWorkloadRecords implements WorkloadRecords {
  readonly #options: RedisWorkloadRecordsOptions;

  constructor(options: RedisWorkloadRecordsOptions) {
    this.#options = options;
  }

  async read({ cluster, workload }: Request): Promise<WorkloadRecord> {
    const { client, keys } = this.#options;
    const { noted, seen, served } = keys.cluster(cluster);
    const key = workloadKey(workload);
    const streams = [streamName(workload.kind, workload.namespace), streamName(workload.kind, undefined)];
    const places = [noted, seen, served];
    const answer = await readScript.runReadOnly(client.connection, places, [key, ...streams]);
    const [appliedText, event, own, all] = readTexts(answer);
    return { ...readApplied(appliedText), seen: readSeen(event), served: readServed(own) ?? readServed(all) };
  }

  applied({ cluster, workload }: Request, appliedText: string | undefined, observed: ObservedVersion): void {
    const { client, keys } = this.#options;
    const { noted, seen, unreconciled } = keys.cluster(cluster);
    const text = appliedText === undefined ? "" : encodeApplied(appliedText, observed.appliedAtSeconds);
    const args = [workloadKey(workload), text, observed.resourceVersion];
    this.#send(appliedScript.run(client.connection, [noted, seen, unreconciled], args));
  }

  async keep({ cluster, workload }: Request, appliedText: string, atSeconds: number): Promise<void> {
    const { client, keys } = this.#options;
    const text = encodeApplied(appliedText, atSeconds);
    await client.connection.hset(keys.cluster(cluster).noted, workloadKey(workload), text);
  }

  reconciled({ cluster, workload }: Request): void {
    const { client, keys } = this.#options;
    this.#send(client.connection.srem(keys.cluster(cluster).unreconciled, workloadKey(workload)));
  }

  #send(sent: Promise<unknown>): void {
    sent.catch((error: unknown) => {
      const err = error instanceof Error ? error.message : "Redis failed";
      this.#options.log.debug(
        { reason: "redis.unavailable", err },
        "the record of a workload could not be written",
      );
    });
  }
}
