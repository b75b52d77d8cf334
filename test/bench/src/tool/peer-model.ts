import { until } from "@fleet-reloader/testkit/until";
import { orEnd, startChild } from "../child/child.ts";
import type { PeerModelMethods } from "../peer-model/methods.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { optInOf, type Tool } from "./tool.ts";

export interface PeerModel extends Tool {
  /** Events that it has not finished. */
  readonly backlog: () => Promise<number>;
}

export interface PeerModelStart {
  readonly server: BenchServer;
  /** As the peer's `--namespaces`; absent: the whole cluster. */
  readonly namespaces?: readonly string[];
}

export async function startPeerModel({ server, namespaces }: PeerModelStart): Promise<PeerModel> {
  const startedAt = performance.now();
  const file = new URL("../peer-model/process.ts", import.meta.url);
  const child = startChild<PeerModelMethods>(file);
  const options = { target: server.target, namespaces, optIn: optInOf["peer model"] };
  await orEnd(child, child.ask("start", options));
  const stop = async (): Promise<void> => await child[Symbol.asyncDispose]();
  return {
    name: "peer model",
    pid: child.pid,
    redisSocket: undefined,
    readyMs: performance.now() - startedAt,
    backlog: async () => (await child.ask("state", undefined)).backlog,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Waits until it has handled every event it has seen. */
export async function drained(peerModel: PeerModel, timeoutMs: number): Promise<void> {
  await until("the peer model has no backlog", async () => (await peerModel.backlog()) === 0, timeoutMs);
}
