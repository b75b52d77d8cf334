import type { AskedFleet } from "@fleet-reloader/dashboard/api/asked-routes";
import { asFault } from "@fleet-reloader/domain/fault";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { onlyCluster } from "@fleet-reloader/engine/overview/registered-clusters";
import type { KeyedRedis } from "@fleet-reloader/redis/connection/client";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { openFreezes } from "../freezes.ts";
import { type AskedClustersOptions, openAskedClusters } from "./asked-clusters.ts";
import { askedKeyring } from "./asked-keyring.ts";
import { type ConnectedTo, LentClusters } from "./lent-clusters.ts";
import { type AskingOptions, knownDocuments } from "./open-asking.ts";
import { createQuestions } from "./questions.ts";

export interface OnDemandOptions extends Omit<AskingOptions, "config" | "redis"> {
  readonly config: Omit<AskingOptions["config"], "clusters">;
  readonly limit: AskedClustersOptions["limit"];
  readonly redis: KeyedRedis;
}

/** Answers questions about clusters until it is closed. It connects to a cluster when a question needs it. */
export interface OnDemand {
  readonly asked: AskedFleet;
  /** Where freezes are declared; undefined: in no place that the workers read too. */
  readonly freezeStores: FreezeStores | undefined;
  close(): Promise<void>;
}

/** Creates the functions that answer questions about the registered clusters. It connects to no cluster before a question, and writes nothing. */
export function askOnDemand(options: OnDemandOptions): OnDemand {
  const { clock, config, env, limits, log, redis, settings } = options;
  const lifetime = new AbortController();
  const freezes = openFreezes({ config, env, userAgent, clock, ...knownDocuments(redis) });
  const connect = (called: string, signal: AbortSignal) => connectTo(called, options, signal);
  const lent = new LentClusters({ connect, clock });
  const makeQuestions = async () =>
    createQuestions({
      freezes,
      keyring: await askedKeyring({ config, env, clock }, lifetime.signal),
      limits,
      nameOf: (id) => lent.nameOf(id),
      redis,
      settings,
      clock,
      log,
      lifetime: lifetime.signal,
    });
  let made: ReturnType<typeof makeQuestions> | undefined;
  const questions = () => {
    // The Secret with the keys may not exist yet, so a failure is retried.
    made ??= makeQuestions().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  const isShared = config.freezeConfigmap !== undefined || config.freezeFile !== "";
  return {
    freezeStores: isShared ? freezes.stores : undefined,
    asked: {
      settings,
      explain: async (request, cluster, signal) => (await questions()).explain(request, cluster, signal),
      plan: async (source, cluster, signal) => (await questions()).plan(source, cluster, signal),
      ask: (called, question, signal) => lent.ask(called, question, signal),
    },
    async close() {
      lifetime.abort();
      await lent.close();
      await freezes.close();
    },
  };
}

/** Connects to the one cluster with this name, as its registration says now. */
async function connectTo(
  called: string,
  { clock, config, env, limit, log, redis, settings }: OnDemandOptions,
  signal: AbortSignal,
): Promise<ConnectedTo> {
  // A command waits as long as Redis is away; the process must be able to end meanwhile.
  const registered = await unlessAborted(new RedisClusterList(redis).read(), signal, "Redis");
  // A misspelt name is refused before any registration is read.
  if (registered !== undefined) onlyCluster(registered, called);
  const named = { ...config, clusters: [called] };
  try {
    const asked = { config: named, env, settings, limit, clock, log, registered: registered ?? [] };
    const open = await openAskedClusters(asked, signal);
    const [cluster] = open.clusters;
    if (cluster !== undefined) return { cluster, close: () => open.close() };
    await open.close();
  } catch (error) {
    throw asQuestion(error, called);
  }
  throw refusedQuestion({ field: "cluster", value: called, problem: "cluster: none was found", mend: "" });
}

/** An error of the command line names the flag; here the name is part of an address. */
function asQuestion(error: unknown, called: string): unknown {
  const { code, message } = asFault(error);
  const start = `--cluster ${called}: `;
  if (code !== "config.invalid" || !message.startsWith(start)) return error;
  const [why = "", ...mend] = message.slice(start.length).split("; ");
  return refusedQuestion({
    field: "cluster",
    value: called,
    problem: `cluster: ${why}`,
    mend: mend.join("; "),
  });
}
