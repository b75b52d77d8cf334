import { type LogLevel, logLevels } from "../../log/pino-log.ts";
import { inGroup } from "../field.ts";
import { textValue } from "../types.ts";

const levelNames = "trace, debug, info, warn, error";

/** What is logged, and how. As with the peer, an unusable value does not prevent the start; it causes a remark. */
export const logFields = inGroup("Log, probes and dashboard", {
  logLevel: {
    schema: textValue("info").transform((name) => levelOf(name) ?? "info"),
    meta: {
      flag: "log-level",
      peer: "--log-level",
      placeholder: "LEVEL",
      description: `One of ${levelNames}. Also accepted: warning for warn, and fatal and panic for error.`,
      remark: (name) =>
        levelOf(name) === undefined ? `is no log level; info is used. Write one of ${levelNames}` : undefined,
    },
  },
  logFormat: {
    schema: textValue("text").transform((format) => (format === "json" ? "json" : "text")),
    meta: {
      flag: "log-format",
      peer: "--log-format",
      placeholder: "FORMAT",
      description: "text for people, json for machines.",
      remark: (format) =>
        ["", "text", "json"].includes(format)
          ? undefined
          : "is no log format; text is used. Write text or json",
    },
  },
});

/** The names of the peer, in upper or lower case. Errors are always logged, since we have no graver level. */
function levelOf(name: string): LogLevel | undefined {
  const lower = name.toLowerCase();
  if (lower === "warning") return "warn";
  if (lower === "fatal" || lower === "panic") return "error";
  return logLevels.find((level) => level === lower);
}
