import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { SharedCalls } from "@fleet-reloader/engine/async/shared-calls";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type ClusterId, type Request, requestKey } from "@fleet-reloader/engine/ports/request";
import type {
  ObservedVersion,
  WorkloadRecord,
  WorkloadRecords,
} from "@fleet-reloader/engine/ports/workload-records";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import { encodeApplied, readApplied, readSeen, readServed } from "./workload-record.ts";

/**
 * KEYS: noted, seen, unlooked. ARGV, three for each workload: its key, its applied state or '', the observed resourceVersion. An event of a newer
 * version stays; an unreadable one is removed. resourceVersions are decimal integers: the longer one is larger, then the lexically larger one
 * (KEP-5504).
 */
const appliedScript = new Script(`
for i = 1, #ARGV, 3 do
  local workload, note, version = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if note == '' then redis.call('HDEL', KEYS[1], workload) else redis.call('HSET', KEYS[1], workload, note) end
  redis.call('HDEL', KEYS[1], 'held ' .. workload)
  local event = redis.call('HGET', KEYS[2], workload)
  local isRead, read = pcall(cjson.decode, event or '')
  local seen = isRead and type(read) == 'table' and read[3]
  local isNewer = type(seen) == 'string' and (#seen > #version or (#seen == #version and seen > version))
  if not isNewer then
    redis.call('HDEL', KEYS[2], workload)
    redis.call('SREM', KEYS[3], workload)
  end
end
return 0
`);

/** KEYS: noted, seen, served. ARGV, three for each workload: its key, its two streams. One call, because every roll waits for it. */
const readScript = new Script(`
local records = {}
for i = 1, #ARGV, 3 do
  local served = redis.call('HMGET', KEYS[3], ARGV[i + 1], ARGV[i + 2])
  local noted, seen = redis.call('HGET', KEYS[1], ARGV[i]), redis.call('HGET', KEYS[2], ARGV[i])
  records[#records + 1] = { noted, seen, served[1], served[2], redis.call('HGET', KEYS[1], 'held ' .. ARGV[i]) }
end
return records
`);

/** The arguments for one workload in a call of either script. */
type RecordArguments = readonly [workload: string, string, string];

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
  readonly #reads: SharedCalls<RecordArguments, unknown>;
  readonly #writes: SharedCalls<RecordArguments, unknown>;
  readonly #reconciled: SharedCalls<string, unknown>;
  /** Writes that may not have reached Redis yet, by workload: a later command for the same workload waits for them. */
  readonly #unanswered = new Map<string, Promise<unknown>>();

  constructor(options: RedisWorkloadRecordsOptions) {
    this.#options = options;
    this.#reads = new SharedCalls((cluster, asks) => this.#readAll(cluster, asks));
    this.#writes = new SharedCalls((cluster, asks) => this.#writeAll(cluster, asks));
    this.#reconciled = new SharedCalls((cluster, workloads) => this.#reconcileAll(cluster, workloads));
  }

  async read(request: Request): Promise<WorkloadRecord> {
    const { cluster, workload } = request;
    await this.#unanswered.get(requestKey(request));
    const { kind, namespace } = workload;
    const streams = [streamName(kind, namespace), streamName(kind, undefined)] as const;
    const answer = await this.#reads.ask(cluster, [workloadKey(workload), ...streams]);
    const [appliedText, event, own, all, held] = readTexts(answer);
    return {
      ...readApplied(appliedText),
      heldSinceSeconds: held === undefined ? undefined : Number(held),
      seen: readSeen(event),
      served: readServed(own) ?? readServed(all),
    };
  }

  applied(request: Request, appliedText: string | undefined, observed: ObservedVersion): void {
    const { cluster, workload } = request;
    const text = appliedText === undefined ? "" : encodeApplied(appliedText, observed.appliedAtSeconds);
    const key = requestKey(request);
    const written = this.#sent(
      this.#writes.ask(cluster, [workloadKey(workload), text, observed.resourceVersion]),
    ).finally(() => {
      if (this.#unanswered.get(key) === written) this.#unanswered.delete(key);
    });
    this.#unanswered.set(key, written);
  }

  async keep(request: Request, appliedText: string, atSeconds: number): Promise<void> {
    const { cluster, workload } = request;
    const { client, keys } = this.#options;
    const text = encodeApplied(appliedText, atSeconds);
    await this.#unanswered.get(requestKey(request));
    await client.connection.hset(keys.cluster(cluster).noted, workloadKey(workload), text);
  }

  held({ cluster, workload }: Request, sinceSeconds: number | undefined): void {
    const { client, keys } = this.#options;
    const { noted } = keys.cluster(cluster);
    const field = `held ${workloadKey(workload)}`;
    const { connection } = client;
    void this.#sent(
      sinceSeconds === undefined
        ? connection.hdel(noted, field)
        : connection.hset(noted, field, String(sinceSeconds)),
    );
  }

  reconciled({ cluster, workload }: Request): void {
    void this.#sent(this.#reconciled.ask(cluster, workloadKey(workload)));
  }

  async #readAll(cluster: ClusterId, asks: readonly RecordArguments[]): Promise<readonly unknown[]> {
    const { client, keys } = this.#options;
    const { noted, seen, served } = keys.cluster(cluster);
    const answer = await readScript.runReadOnly(client.connection, [noted, seen, served], asks.flat());
    return Array.isArray(answer) ? answer : [];
  }

  async #writeAll(cluster: ClusterId, asks: readonly RecordArguments[]): Promise<readonly unknown[]> {
    const { client, keys } = this.#options;
    const { noted, seen, unreconciled } = keys.cluster(cluster);
    const answer = await appliedScript.run(client.connection, [noted, seen, unreconciled], asks.flat());
    return asks.map(() => answer);
  }

  async #reconcileAll(cluster: ClusterId, workloads: readonly string[]): Promise<readonly unknown[]> {
    const { client, keys } = this.#options;
    const answer = await client.connection.srem(keys.cluster(cluster).unreconciled, ...workloads);
    return workloads.map(() => answer);
  }

  /** Never rejects: no caller waits for the write. */
  async #sent(sent: Promise<unknown>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      const err = error instanceof Error ? error.message : "Redis failed";
      this.#options.log.debug(
        { reason: "redis.unavailable", err },
        "the record of a workload could not be written",
      );
    }
  }
}
