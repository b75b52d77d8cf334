import {
  type AuditedUser,
  type AuditedWrite,
  candidatesFor,
  requestMaxSeconds,
} from "@fleet-reloader/domain/hint/audited-write";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { AskedWrite, AuditedWrites } from "@fleet-reloader/engine/hints/hint-store";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { addWritesScript } from "./hint-scripts.ts";

/** A change is recorded when it rolls, at most half a minute after it happens; cloud logs arrive minutes late. */
const writesKeptSeconds = 3600;
/** Some 2 MiB for each cluster. */
const writesKeptMax = 5000;
const writesPageSize = 500;
/** At most this many writes of one minute are read. */
const writesAskedMax = 5000;

/**
 * Writes of sources in one sorted set per cluster, scored by their second. A repeated report is the same member. A member begins with the key of
 * its source, so that members of other sources need not be parsed.
 */
export class RedisAuditedWrites implements AuditedWrites {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor(options: KeyedRedis) {
    this.#client = options.client;
    this.#keys = options.keys;
  }

  async add(cluster: ClusterId, writes: readonly AuditedWrite[]): Promise<void> {
    const key = this.#keys.cluster(cluster).auditedWrites;
    for (let from = 0; from < writes.length; from += writesPageSize) {
      const groups = groupedWrites(writes.slice(from, from + writesPageSize));
      const args = [String(writesKeptSeconds), String(writesKeptMax), ...groups];
      await addWritesScript.run(this.#client.connection, key, args);
    }
  }

  async candidates(cluster: ClusterId, asked: AskedWrite): Promise<readonly AuditedUser[]> {
    const key = this.#keys.cluster(cluster).auditedWrites;
    const { atSeconds, source } = asked;
    const from = String(atSeconds - requestMaxSeconds);
    const texts = await this.#client.connection.zrangebyscore(
      key,
      from,
      String(atSeconds),
      "LIMIT",
      0,
      writesAskedMax,
    );
    const prefix = `${sourceKey(source)} `;
    const writes = texts.flatMap((text) => {
      const by = text.startsWith(prefix) ? parseJson(text.slice(prefix.length)) : undefined;
      return by === undefined ? [] : [{ source, ...readWrite(by) }];
    });
    return candidatesFor(asked, writes);
  }
}

/** Groups of writes that happened in one way: second, description, the keys of the sources. Most batches have few writers. */
function groupedWrites(writes: readonly AuditedWrite[]): readonly string[] {
  const groups = new Map<string, { readonly second: string; readonly sources: Set<string> }>();
  for (const write of writes) {
    const description = descriptionOf(write);
    const group = groups.get(description) ?? { second: String(write.fromSeconds), sources: new Set() };
    group.sources.add(sourceKey(write.source));
    groups.set(description, group);
  }
  return [...groups].flatMap(([description, { second, sources }]) => [
    second,
    description,
    [...sources].join("\n"),
  ]);
}

function descriptionOf({ manager, fromSeconds, toSeconds, by }: AuditedWrite): string {
  const { user, impersonated, groups, userAgent } = by;
  return JSON.stringify({ manager, fromSeconds, toSeconds, user, impersonated, groups, userAgent });
}

function readWrite(value: unknown): Omit<AuditedWrite, "source"> {
  const impersonated = jsonText(value, "impersonated");
  const by = {
    user: jsonText(value, "user") ?? "",
    groups: jsonList(value, "groups").filter((group) => typeof group === "string"),
    userAgent: jsonText(value, "userAgent") ?? "",
  };
  return {
    manager: jsonText(value, "manager") ?? "",
    fromSeconds: Number(jsonField(value, "fromSeconds")),
    toSeconds: Number(jsonField(value, "toSeconds")),
    by: impersonated === undefined ? by : { ...by, impersonated },
  };
}
