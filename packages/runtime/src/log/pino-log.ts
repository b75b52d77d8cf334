import type { Log } from "@fleet-reloader/engine/ports/log";
import { pino } from "pino";
import { printable, printableJson } from "./printable.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Only names may be logged. These fields are never logged, whatever code passes them. */
const redacted = [
  "data",
  "stringData",
  "binaryData",
  "*.data",
  "*.stringData",
  "*.binaryData",
  "token",
  "*.token",
];

/** JSON lines on standard output, or text for people on a terminal. */
export function createLog(options: {
  readonly service: string;
  readonly level: LogLevel;
  readonly format: "json" | "text";
}): Log {
  const settings = {
    level: options.level,
    base: { service: options.service },
    redact: { paths: redacted, censor: "[never logged]" },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (options.format === "text")
    return pino(settings, { write: (line: string) => void process.stdout.write(`${textLine(line)}\n`) });
  // pino also writes to it on its own. It is synchronous, so a line is out when the call returns.
  const output = pino.destination({ fd: 1, sync: true });
  return pino(settings, {
    write: (line: string) => void output.write(`${printableJson(line.trimEnd())}\n`),
  });
}

/** `10:02:11.123 info  workload rolled  cluster=… workload=Deployment/ns/name` */
function textLine(json: string): string {
  const { time, level, msg, service: _service, ...fields } = parseLine(json);
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${show(value)}`);
  const text = `${msg}${rest.length > 0 ? `  ${rest.join(" ")}` : ""}`;
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${printable(text)}`;
}

function parseLine(json: string): Record<string, unknown> {
  return JSON.parse(json);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(",");
  if (typeof value === "object" && value !== null) return Object.values(value).map(show).join("/");
  return String(value);
}
