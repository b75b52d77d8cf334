import type { BenchServer } from "../server/bench-server.ts";
import type { RequestCount, RequestCounts } from "../server/methods.ts";
import type { Program } from "../tool/tool.ts";
import { type ProcessReading, readProcess, readTree, sumOf } from "./process-tree.ts";
import { readRedis } from "./redis-info.ts";

/** What some work cost a tool and its API server. */
export interface Usage {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** By program: node, redis-server. */
  readonly cpuByProgram: Readonly<Record<string, number>>;
  readonly serverCpuSeconds: number;
  readonly rssMiB: number;
  /** The highest each process ever was, added up. */
  readonly peakMiB: number;
  /** Of all clients; the observer's own are among them. */
  readonly requests: RequestCounts;
  readonly redisCommands: number | undefined;
}

/** Does the work and reads the meters before and after it. */
export async function metered<T>(
  tool: Program,
  server: BenchServer,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly usage: Usage }> {
  const before = await readMeters(tool, server);
  const result = await work();
  const after = await readMeters(tool, server);
  const programs = new Set(after.tree.map(({ name }) => name));
  const cpuOf = ({ tree }: Meters, program?: string) =>
    sumOf(
      tree.filter(({ name }) => program === undefined || name === program),
      "cpuSeconds",
    );
  const cpuByProgram = [...programs].map((program) => [
    program,
    cpuOf(after, program) - cpuOf(before, program),
  ]);
  return {
    result,
    usage: {
      wallSeconds: (after.at - before.at) / 1000,
      cpuSeconds: cpuOf(after) - cpuOf(before),
      cpuByProgram: Object.fromEntries(cpuByProgram),
      serverCpuSeconds: sumOf(after.server, "cpuSeconds") - sumOf(before.server, "cpuSeconds"),
      rssMiB: sumOf(after.tree, "rssMiB"),
      peakMiB: sumOf(after.tree, "peakMiB"),
      requests: difference(after.requests, before.requests),
      redisCommands:
        after.redisCommands === undefined ? undefined : after.redisCommands - (before.redisCommands ?? 0),
    },
  };
}

interface Meters {
  readonly at: number;
  readonly tree: readonly ProcessReading[];
  readonly server: readonly ProcessReading[];
  readonly requests: RequestCounts;
  readonly redisCommands: number | undefined;
}

async function readMeters(tool: Program, server: BenchServer): Promise<Meters> {
  return {
    at: performance.now(),
    tree: readTree(tool.pid),
    server: server.pids.flatMap((pid) => readProcess(pid) ?? []),
    requests: await server.requests(),
    redisCommands: tool.redisSocket === undefined ? undefined : (await readRedis(tool.redisSocket)).commands,
  };
}

function difference(after: RequestCounts, before: RequestCounts): RequestCounts {
  const none: RequestCount = { requests: 0, responseBytes: 0 };
  const changes = [...after].map(([key, count]) => {
    const { requests, responseBytes } = before.get(key) ?? none;
    return [
      key,
      { requests: count.requests - requests, responseBytes: count.responseBytes - responseBytes },
    ] as const;
  });
  return new Map(changes.filter(([, { requests, responseBytes }]) => requests > 0 || responseBytes > 0));
}
