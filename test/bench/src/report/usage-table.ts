import type { Usage } from "../meter/metered.ts";
import type { Table } from "./table.ts";
import { figure } from "./table.ts";

export interface UsageLine {
  readonly arm: string;
  readonly usage: Usage;
  /** Changes, events or rolls that the work was about. */
  readonly units: number;
}

/** What each arm cost, per unit of its work. */
export function usageTable(unit: string, lines: readonly UsageLine[]): Table {
  return {
    title: `Cost per ${unit}`,
    columns: [
      "arm",
      "CPU ms",
      "of it node",
      "of it redis",
      "server CPU ms",
      "API requests",
      "KB",
      "Redis commands",
      "RSS MiB",
    ],
    rows: lines.map(({ arm, usage, units }) => {
      const { cpuByProgram, redisCommands } = usage;
      const redis = cpuByProgram["redis-server"] ?? 0;
      return [
        arm,
        figure((usage.cpuSeconds * 1000) / units),
        figure(((usage.cpuSeconds - redis) * 1000) / units),
        redis === 0 ? "–" : figure((redis * 1000) / units),
        figure((usage.serverCpuSeconds * 1000) / units),
        figure(totalOf(usage, "requests") / units),
        figure(totalOf(usage, "responseBytes") / 1024 / units),
        redisCommands === undefined ? "–" : figure(redisCommands / units),
        figure(usage.rssMiB),
      ];
    }),
  };
}

/** Requests or bytes of answers, without those of the observer and without watches. */
export function totalOf({ requests }: Usage, name: "requests" | "responseBytes"): number {
  const own = [...requests].filter(([key]) => !isObserver(key));
  return own.reduce((sum, [, count]) => sum + count[name], 0);
}

/** The writes of the observer, and watches: those count once however much comes, and the observer has one too. */
function isObserver(key: string): boolean {
  return key === "patch configmaps" || key.startsWith("watch ") || key === "get " || key === "get /metrics";
}

/** Requests of all clients in one line, most frequent first. */
export function requestNote(arm: string, usage: Usage): string {
  const parts = [...usage.requests]
    .filter(([key]) => !isObserver(key))
    .toSorted(([, a], [, b]) => b.requests - a.requests)
    .map(([key, { requests }]) => `${requests} ${key}`);
  return `API requests, ${arm}: ${parts.join(", ")}`;
}

/** A usage with its maps as objects, for JSON. */
export function usageJson(usage: Usage): object {
  return { ...usage, requests: Object.fromEntries(usage.requests) };
}
