import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { inFlight } from "../api/in-flight.ts";
import { readProcess, sumOf } from "../meter/process-tree.ts";
import type { BenchServer } from "../server/bench-server.ts";

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
