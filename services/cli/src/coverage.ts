import { existsSync } from "node:fs";
import { asFault } from "@fleet-reloader/domain/fault";
import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { clustersOf, coverageOf, type ReloadedWorkload } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { type IndexedWorkload, indexedWorkloads } from "@fleet-reloader/redis/index/indexed-workloads";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { shardsOf } from "./used-redis.ts";

/** What a freeze covers, in a sentence; `covers` is false unless it is known to cover something. */
export interface Covered {
  readonly says: string;
  readonly covers: boolean | "unknown";
}

export interface CoverageOptions {
  readonly redisUrl: string;
  readonly dataDir: string;
  /** It was written to a ConfigMap of a hub. */
  readonly isInHub: boolean;
  /** It was written to a file that was named: processes elsewhere may read it. */
  readonly isFileNamed: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks the Redis of a fleet-reloader what a freeze covers now: the one that is named, or the embedded one of the data dir. */
export async function coverageNow(scope: FreezeScope, options: CoverageOptions): Promise<Covered> {
  const { dataDir, isFileNamed, isInHub, log, redisUrl } = options;
  const socketPath = embeddedSocket(dataDir);
  if (redisUrl === "" && (isInHub || !existsSync(socketPath)))
    return isInHub || isFileNamed
      ? { says: "what it covers is not known here; give --redis-url to be told", covers: "unknown" }
      : {
          says: `no fleet-reloader runs with the data dir ${dataDir}: nothing that is known reads this. For one in a cluster give --freeze-configmap NAMESPACE/NAME, for one with a Redis of its own --redis-url`,
          covers: false,
        };
  const client = new RedisClient(redisUrl === "" ? { socketPath } : redisAddress(redisUrl), log);
  try {
    return await askedOf(client, scope, options);
  } catch (error) {
    return { says: `what it covers is not known: ${asFault(error).message}`, covers: false };
  } finally {
    await client.close();
  }
}

async function askedOf(
  client: RedisClient,
  scope: FreezeScope,
  { clock }: CoverageOptions,
): Promise<Covered> {
  const shards = await shardsOf(client, clock);
  const keys = new Keys("fleet-reloader", shards);
  const registered = shards === undefined ? undefined : await new RedisClusterList({ client, keys }).read();
  if (registered === undefined)
    return {
      says: "it covers nothing: no fleet-reloader serves clusters with this Redis now",
      covers: false,
    };
  const workloads = new Map<string, readonly ReloadedWorkload[]>();
  for (const { id } of clustersOf(scope, registered).clusters)
    if (id !== undefined) workloads.set(id, (await indexedWorkloads(id, { client, keys })).map(reloaded));
  const found = coverageOf(scope, registered, ({ id }) => workloads.get(id ?? "") ?? []);
  if (found.missing !== undefined) return { says: `it covers nothing: ${found.missing}`, covers: false };
  const [some, more] = [found.clusters.slice(0, 5), found.clusters.length - 5];
  const names = `${some.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const says = `it covers ${counted(found.workloads, "workload")} of ${counted(found.clusters.length, "cluster")}: ${names}`;
  return { says, covers: true };
}

const compile = createPatternCompiler();

function reloaded({ ref, sources, patterns }: IndexedWorkload): ReloadedWorkload {
  const used = sources.flatMap((key) => {
    const [kind, , name = ""] = key.split("/");
    return isSourceKind(kind) ? [{ kind, name }] : [];
  });
  return {
    ...{ ref, sources: used },
    uses: (source) =>
      used.some(({ kind, name }) => kind === source.kind && name === source.name) ||
      patterns.some(([kind, item]) => {
        const pattern = compile(`^${item}$`);
        return kind === source.kind && "matches" in pattern && pattern.matches(source.name);
      }),
  };
}

function isSourceKind(text: string | undefined): text is SourceKind {
  return text === "ConfigMap" || text === "Secret" || text === "SecretProviderClass";
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
