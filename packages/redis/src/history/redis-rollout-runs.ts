import { formatRolloutRun, parseRolloutRun } from "@fleet-reloader/contracts/rollout-run";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { RolloutRun, RolloutRuns, StartedRun } from "@fleet-reloader/engine/follow/rollout-runs";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";

/** KEYS: the runs of a cluster. ARGV: workload, the run that has ended. 0 when another has begun since. */
const endRunScript = new Script(`
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current and current ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
`);

/** The rollouts that are followed, in one Redis hash for each cluster. */
export class RedisRolloutRuns implements RolloutRuns {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = client;
    this.#keys = keys;
  }

  async start(started: readonly StartedRun[]): Promise<void> {
    const clusters = Map.groupBy(started, ({ request }) => this.#key(request));
    const pairs = (its: readonly StartedRun[]) =>
      its.flatMap(({ request, run }) => [workloadKey(request.workload), formatRolloutRun(run)]);
    await Promise.all([...clusters].map(([key, its]) => this.#client.connection.hset(key, ...pairs(its))));
  }

  async find(request: Request): Promise<RolloutRun | undefined> {
    const text = await this.#client.connection.hget(this.#key(request), workloadKey(request.workload));
    return text === null ? undefined : parseRolloutRun(text);
  }

  async end(request: Request, run: RolloutRun): Promise<boolean> {
    const args = [workloadKey(request.workload), formatRolloutRun(run)];
    return (await endRunScript.run(this.#client.connection, this.#key(request), args)) === 1;
  }

  #key({ cluster }: Request): string {
    return this.#keys.cluster(cluster).rollouts;
  }
}
