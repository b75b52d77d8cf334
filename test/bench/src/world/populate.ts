import { ApiClient, type ApiKind } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { inFlight } from "../api/in-flight.ts";
import type { BenchServer } from "../server/bench-server.ts";

/** Enough to keep a real API server busy, few enough to leave it its time. */
const CREATES_IN_FLIGHT = 16;

export async function createNamespaces(server: BenchServer, names: readonly string[]): Promise<void> {
  const client = new ApiClient(server.target);
  for (const name of names) {
    await expectOk(`create ${name}`, client.create("Namespace", { metadata: { name } }));
  }
}

/** Creates objects made one at a time, so that a large world is never in memory here. */
export async function createObjects(
  server: BenchServer,
  kind: ApiKind,
  namespace: string,
  names: readonly string[],
  make: (name: string, index: number) => object,
): Promise<void> {
  const client = new ApiClient(server.target);
  await inFlight(CREATES_IN_FLIGHT, names, (name, index) =>
    expectOk(`create ${kind} ${name}`, client.create(kind, make(name, index), namespace)),
  );
}

/** `prefix-00001`, …: the order of names is the order of numbers. */
export function numbered(prefix: string, count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${String(from + i).padStart(6, "0")}`);
}
