import { setTimeout as wait } from "node:timers/promises";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { inFlight } from "../api/in-flight.ts";
import { orEnd, startChild } from "../child/child.ts";
import type { FloorMethods, FloorOptions } from "../floor/methods.ts";
import { readProcess, sumOf } from "../meter/process-tree.ts";
import type { BenchServer } from "../server/bench-server.ts";
import type { Tool } from "./tool.ts";

export const floorInFlight = 8;

export interface Floor {
  readonly seconds: number;
  readonly serverCpuSeconds: number;
}

/** What the API server takes for the bare writes: no tool can be quicker with as many in flight. */
export async function measureFloor(
  server: BenchServer,
  what: { readonly namespace: string; readonly deployments: readonly string[] },
): Promise<Floor> {
  const cpuSeconds = () =>
    sumOf(
      server.pids.flatMap((pid) => readProcess(pid) ?? []),
      "cpuSeconds",
    );
  const cpuBefore = cpuSeconds();
  const client = new ApiClient(server.target);
  const startedAt = performance.now();
  await inFlight(floorInFlight, what.deployments, (name) => {
    const annotations = { "bench/floor": String(startedAt) };
    const patch = { spec: { template: { metadata: { annotations } } } };
    return expectOk(`patch ${name}`, client.patch("Deployment", name, patch, what.namespace));
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, serverCpuSeconds: cpuSeconds() - cpuBefore };
}

/** Bare writes at a steady pace: what as many rolls do to others on the API server, whoever makes them. */
export async function patchAtPace(
  server: BenchServer,
  targets: readonly { readonly namespace: string; readonly deployment: string }[],
  perSecond: number,
): Promise<void> {
  const client = new ApiClient(server.target);
  const startedAt = performance.now();
  const written = targets.map(async ({ namespace, deployment }, at) => {
    await wait((at * 1000) / perSecond);
    const patch = {
      spec: { template: { metadata: { annotations: { "bench/floor": String(startedAt) } } } },
    };
    await expectOk(`patch ${deployment}`, client.patch("Deployment", deployment, patch, namespace));
  });
  await Promise.all(written);
}

/** The least that a roll takes on this machine and API server: a client that sees, maybe reads, and writes, and does nothing else. */
export async function startFloor(server: BenchServer, what: Omit<FloorOptions, "target">): Promise<Tool> {
  const startedAt = performance.now();
  const child = startChild<FloorMethods>(new URL("../floor/process.ts", import.meta.url));
  await orEnd(child, child.ask("start", { ...what, target: server.target }));
  const stop = async (): Promise<void> => await child[Symbol.asyncDispose]();
  return {
    name: "floor",
    pid: child.pid,
    redisSocket: undefined,
    readyMs: performance.now() - startedAt,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
