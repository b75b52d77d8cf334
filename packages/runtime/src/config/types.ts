import { parseGoDuration } from "@fleet-reloader/domain/annotation/go-duration";
import { z } from "zod";

/** `2s`, `1m30s`, `500ms`, `0`: milliseconds. */
export function duration(defaultText: string) {
  return z
    .string()
    .default(defaultText)
    .transform((text, context) => {
      const ms = parseGoDuration(text);
      if (ms !== undefined && ms >= 0) return ms;
      context.addIssue({
        code: "custom",
        message: "is no duration; write for example 2s, 1m30s, 500ms or 0",
      });
      return z.NEVER;
    });
}

/** `host:port`; port 0 takes any free one. */
export function listenAddress(defaultText: string) {
  return z
    .string()
    .default(defaultText)
    .transform((text, context) => {
      const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
      const port = Number(match?.[3]);
      if (match !== null && port <= 65_535) return { host: match[1] ?? (match[2] || "0.0.0.0"), port };
      context.addIssue({
        code: "custom",
        message: "is no address; write host:port, for example 127.0.0.1:9090",
      });
      return z.NEVER;
    });
}

/** `true` or `false`, also in Go's other spellings. */
export function boolean(defaultValue: boolean) {
  return z
    .string()
    .default(String(defaultValue))
    .transform((text, context) => {
      if (/^(1|t|true)$/i.test(text)) return true;
      if (/^(0|f|false)$/i.test(text)) return false;
      context.addIssue({ code: "custom", message: "is neither true nor false" });
      return z.NEVER;
    });
}

/** One of a closed list. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T, defaultValue: T[number]) {
  return z
    .enum(values, { error: () => `must be one of ${values.join(", ")}` })
    .default(() => defaultValue as never);
}

export function list() {
  return z.array(z.string()).default([]);
}

export function text(defaultText: string) {
  return z.string().default(defaultText);
}
