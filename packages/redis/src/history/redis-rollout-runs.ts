import { formatRolloutRun, parseRolloutRun } from "@fleet-reloader/contracts/rollout-run";
import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type {
  EndedRun,
  LeftRun,
  RolloutRun,
  RolloutRuns,
  StartedRun,
} from "@fleet-reloader/engine/follow/rollout-runs";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";

/**
 * KEYS: the runs of a cluster, those left to its watcher. ARGV: workloads, their runs that have ended, what to keep of each (empty: nothing) and
 * when to check that. Returns for each 0 when another run has begun since.
 */
const endRunsScript = new Script(`
local ended = {}
for at = 1, #ARGV, 4 do
  local workload = ARGV[at]
  local current = redis.call('HGET', KEYS[1], workload)
  local isEnded = not current or current == ARGV[at + 1]
  if current and isEnded and ARGV[at + 2] ~= '' then
    redis.call('HSET', KEYS[1], workload, ARGV[at + 2])
    redis.call('ZADD', KEYS[2], ARGV[at + 3], workload)
  elseif isEnded then
    redis.call('HDEL', KEYS[1], workload)
    redis.call('ZREM', KEYS[2], workload)
  end
  ended[#ended + 1] = isEnded and 1 or 0
end
return ended
`);

/**
 * KEYS: the runs of a cluster, those left to its watcher. ARGV: workloads, their runs, when to check each. Returns for each 0 when the stored run
 * differs or is gone.
 */
const leaveRunsScript = new Script(`
local left = {}
for at = 1, #ARGV, 3 do
  local isCurrent = redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1]
  if isCurrent then redis.call('ZADD', KEYS[2], ARGV[at + 2], ARGV[at]) end
  left[#left + 1] = isCurrent and 1 or 0
end
return left
`);

/** KEYS: the runs of a cluster, those left to its watcher. ARGV: workloads. Removes those without a run from the left ones. */
const dropLostScript = new Script(`
for _, workload in ipairs(ARGV) do
  if redis.call('HEXISTS', KEYS[1], workload) == 0 then redis.call('ZREM', KEYS[2], workload) end
end
`);

/** Per cluster and call: as many as can be checked before the next ones are requested. */
const dueMax = 500;

/** The rollout runs, in one Redis hash per cluster. */
export class RedisRolloutRuns implements RolloutRuns {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#keys = keys;
  }

  async start(started: readonly StartedRun[]): Promise<void> {
    await Promise.all(
      [...Map.groupBy(started, ({ request }) => request.cluster)].map(async ([cluster, its]) => {
        const { connection } = this.#client;
        const { leftRollouts, rollouts } = this.#keys.cluster(cluster);
        const pairs = its.flatMap(({ request, run }) => [
          workloadKey(request.workload),
          formatRolloutRun(run),
        ]);
        const left = its.flatMap(({ lookAtMs, request }) =>
          lookAtMs === undefined ? [] : [Math.ceil(lookAtMs), workloadKey(request.workload)],
        );
        await connection.hset(rollouts, ...pairs);
        if (left.length > 0) await connection.zadd(leftRollouts, ...left);
      }),
    );
  }

  async find(request: Request): Promise<RolloutRun | undefined> {
    const text = await this.#client.connection.hget(this.#key(request), workloadKey(request.workload));
    return text === null ? undefined : parseRolloutRun(text);
  }

  async end(ended: readonly EndedRun[]): Promise<readonly boolean[]> {
    return await this.#answers(endRunsScript, ended, ({ kept, request, run }) => [
      workloadKey(request.workload),
      formatRolloutRun(run),
      kept === undefined ? "" : formatRolloutRun(kept.run),
      String(Math.ceil(kept?.lookAtMs ?? 0)),
    ]);
  }

  async leave(left: readonly LeftRun[]): Promise<readonly boolean[]> {
    return await this.#answers(leaveRunsScript, left, ({ lookAtMs, request, run }) => [
      workloadKey(request.workload),
      formatRolloutRun(run),
      String(Math.ceil(lookAtMs)),
    ]);
  }

  async due(cluster: ClusterId, untilMs: number): Promise<readonly StartedRun[]> {
    const { connection } = this.#client;
    const { leftRollouts, rollouts } = this.#keys.cluster(cluster);
    const due = await connection.zrangebyscore(leftRollouts, "-inf", untilMs, "LIMIT", 0, dueMax);
    if (due.length === 0) return [];
    const texts = await connection.hmget(rollouts, ...due);
    const started = due.map((key, at) => startedRun(cluster, key, texts[at]));
    // A run that another version wrote stays for that version.
    const lost = due.filter((_, at) => texts[at] === null);
    if (lost.length > 0) await dropLostScript.run(connection, [rollouts, leftRollouts], lost);
    return started.filter((one) => one !== undefined);
  }

  /** Calls a script once for each cluster. It answers 0 or 1 for each run, told by these arguments. */
  async #answers<R extends Pick<StartedRun, "request">>(
    script: Script,
    runs: readonly R[],
    argumentsOf: (run: R) => readonly string[],
  ): Promise<readonly boolean[]> {
    const yes = new Set<R>();
    await Promise.all(
      [...Map.groupBy(runs, ({ request }) => request.cluster)].map(async ([cluster, its]) => {
        const { connection } = this.#client;
        const answers = await script.run(connection, this.#keysOf(cluster), its.flatMap(argumentsOf));
        for (const [at, one] of its.entries()) if (Array.isArray(answers) && answers[at] === 1) yes.add(one);
      }),
    );
    return runs.map((one) => yes.has(one));
  }

  #key({ cluster }: Request): string {
    return this.#keys.cluster(cluster).rollouts;
  }

  #keysOf(cluster: ClusterId): readonly string[] {
    const { leftRollouts, rollouts } = this.#keys.cluster(cluster);
    return [rollouts, leftRollouts];
  }
}

/** Undefined: the run is lost, or another version wrote it. */
function startedRun(
  cluster: ClusterId,
  key: string,
  text: string | null | undefined,
): StartedRun | undefined {
  const workload = parseWorkloadKey(key);
  const run = parseRolloutRun(text ?? "");
  return workload && run && { request: { cluster, workload }, run };
}
