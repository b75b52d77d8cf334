import { workloadKey } from "@fleet-reloader/domain/workload";
import type { Log } from "@fleet-reloader/engine/log";
import type { Request } from "@fleet-reloader/engine/request";
import {
  streamName,
  type WorkloadRecord,
  type WorkloadRecords,
} from "@fleet-reloader/engine/workload-records";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { readSeen, readServed } from "./workload-record.ts";

interface Pipeline {
  exec(): Promise<readonly (readonly [Error | null, unknown])[] | null>;
}

export interface RedisWorkloadRecordsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
}

/** What the workers of all clusters remember of workloads, in Redis. */
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
    const redis = client.connection;
    const [note, event, records] = await Promise.all([
      redis.hget(noted, key),
      redis.hget(seen, key),
      redis.hmget(served, ...streams),
    ]);
    const [own, all] = records.map(readServed);
    return { note: note ?? undefined, seen: readSeen(event), served: own ?? all };
  }

  noted(request: Request, note: string | undefined): void {
    const { client, keys } = this.#options;
    const its = keys.cluster(request.cluster);
    const key = workloadKey(request.workload);
    const pipeline = client.connection.pipeline();
    if (note === undefined) pipeline.hdel(its.noted, key);
    else pipeline.hset(its.noted, key, note);
    this.#send(pipeline.hdel(its.seen, key).srem(its.unlooked, key));
  }

  looked(request: Request): void {
    const { client, keys } = this.#options;
    const { unlooked } = keys.cluster(request.cluster);
    this.#send(client.connection.pipeline().srem(unlooked, workloadKey(request.workload)));
  }

  /** A pipeline resolves with the failures of its commands, and rejects with its own. */
  #send(pipeline: Pipeline): void {
    const failed = (error: unknown): void => {
      const err = error instanceof Error ? error.message : "Redis failed";
      this.#options.log.debug({ reason: "redis.unavailable", err }, "a workload is not remembered");
    };
    pipeline.exec().then((results) => {
      const failure = results?.find(([error]) => error !== null);
      if (failure !== undefined) failed(failure[0]);
    }, failed);
  }
}
