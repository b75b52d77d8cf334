import { decodePercentCodes } from "@fleet-reloader/domain/bytes";
import { parseDuration } from "@fleet-reloader/domain/duration";
import * as z from "zod";
import { isLoopbackHost } from "./loopback.ts";

/** `2s`, `1m30s`, `500ms`, `2d`, `0`: milliseconds. */
export function duration(defaultText: string) {
  return z
    .string()
    .default(defaultText)
    .transform((text, context) => {
      const ms = parseDuration(text);
      if (ms !== undefined && ms >= 0) return ms;
      context.addIssue({
        code: "custom",
        message: "is no duration; write for example 2s, 1m30s, 500ms, 2d or 0",
      });
      return z.NEVER;
    });
}

/** The key of an annotation, by the API server's rules: `[prefix/]name`, the prefix a DNS name in any case. */
export function annotationKey(defaultKey: string) {
  const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
  const prefix = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/i;
  return z
    .string()
    .default(defaultKey)
    .refine((key) => {
      const slash = key.lastIndexOf("/");
      const isPrefixed = slash >= 0;
      return (
        name.test(key.slice(slash + 1)) && (!isPrefixed || (slash <= 253 && prefix.test(key.slice(0, slash))))
      );
    }, `is no key of an annotation; write [prefix/]name, for example ${defaultKey}`);
}

/** `host:port`; port 0 takes any free one. */
export function listenAddress(defaultText: string) {
  return z
    .string()
    .default(defaultText)
    .transform((text, context) => {
      const address = parseAddress(text);
      if (address !== undefined) return address;
      context.addIssue({ code: "custom", message: noAddress });
      return z.NEVER;
    });
}

/** The same, or undefined: where nothing is given, nothing listens. */
export function optionalListenAddress() {
  return z
    .string()
    .default("")
    .transform((text, context) => {
      const address = parseAddress(text);
      if (text === "" || address !== undefined) return address;
      context.addIssue({ code: "custom", message: noAddress });
      return z.NEVER;
    });
}

const noAddress = "is no address; write host:port, for example 127.0.0.1:9090";

/** An empty host means all addresses, of IPv6 and of IPv4. */
function parseAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  return match !== null && port <= 65_535 ? { host: match[1] ?? match[2] ?? "", port } : undefined;
}

/** A whole number from `min` to `max`. */
export function wholeNumber(defaultText: string, min: number, max: number) {
  return z
    .string()
    .default(defaultText)
    .transform((text, context) => {
      const count = wholeNumberOf(text, min, max);
      if (count !== undefined) return count;
      context.addIssue({ code: "custom", message: noCount(min, max) });
      return z.NEVER;
    });
}

/** The same, or undefined where nothing is given: 0 may be meant. */
export function optionalWholeNumber(min: number, max: number) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      const count = text === undefined ? undefined : wholeNumberOf(text, min, max);
      if (text === undefined || count !== undefined) return count;
      context.addIssue({ code: "custom", message: noCount(min, max) });
      return z.NEVER;
    });
}

function wholeNumberOf(text: string, min: number, max: number): number | undefined {
  const count = Number(text);
  return /^\d+$/.test(text.trim()) && count >= min && count <= max ? count : undefined;
}

function noCount(min: number, max: number): string {
  return `must be a whole number from ${min} to ${max}`;
}

/** `true` or `false`, also in Go's other spellings. */
export function boolean(defaultValue: boolean) {
  return z
    .string()
    .default(String(defaultValue))
    .transform((text, context) => {
      if (/^(1|t|true)$/i.test(text)) return true;
      if (/^(0|f|false)$/i.test(text)) return false;
      context.addIssue({ code: "custom", message: "is neither true nor false; write true or false" });
      return z.NEVER;
    });
}

/** One of a closed list. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T, defaultValue: T[number]) {
  return z
    .enum(values, { error: () => `must be one of ${values.join(", ")}` })
    .default(() => defaultValue as never);
}

/**
 * A list flag, for a field with `isList`: every occurrence of the flag is one line of comma-separated values, as the peer
 * reads them. An item that contains a comma is in double quotes, and a double quote in it is doubled. Spaces around
 * items and empty items are ignored.
 */
export function csvList() {
  return z
    .array(z.string())
    .default([])
    .transform((lines, context) => {
      const lists = lines.map(splitCsv);
      const items = lists.flatMap((list) => list ?? []);
      if (lists.every((list) => list !== undefined)) return items;
      context.addIssue({
        code: "custom",
        message: 'has a double quote out of place; write a,b or "x,y",z, and "" for a quote inside quotes',
      });
      return z.NEVER;
    });
}

/** Undefined when the quotes do not match. A line break separates like a comma, since YAML block texts end in one. */
function splitCsv(text: string): readonly string[] | undefined {
  const field = /[^\S\n]*(?:"((?:[^"]|"")*)"[^\S\n]*|([^",\n]*))(?:[,\n]|$)/y;
  const items: string[] = [];
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (match === null) return undefined;
    items.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? "").trim());
  }
  return items.filter((item) => item !== "");
}

export function textValue(defaultText: string) {
  return z.string().default(defaultText);
}

/** An http or https URL; undefined when none is given. No message quotes it. */
export function webAddress() {
  return z
    .string()
    .default("")
    .transform((given, context) => {
      const trimmed = given.trim();
      if (trimmed === "") return undefined;
      const url = URL.parse(trimmed);
      const problem = webProblem(url);
      if (problem === undefined) return url ?? undefined;
      context.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    });
}

/** The client sends the login percent-decoded. */
function webProblem(url: URL | null): string | undefined {
  if (url === null || !/^https?:$/.test(url.protocol)) return "is no address; write http://… or https://…";
  if ([url.username, url.password].some((text) => decodePercentCodes(text) === undefined))
    return "its user or password has a % that begins no code; write %25 for a %";
  return undefined;
}

/**
 * Headers of HTTP requests as OpenTelemetry writes them, `name=value,name=value`, a value percent-encoded where it needs to be
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables). No message quotes a value.
 */
export function requestHeaders() {
  return z
    .string()
    .default("")
    .transform((text, context): Readonly<Record<string, string>> => {
      const pairs = text.split(",").filter((pair) => pair.trim() !== "");
      const headers = pairs.map(parseHeader);
      for (const [at, header] of headers.entries())
        if (typeof header === "string")
          context.addIssue({ code: "custom", message: `header ${at + 1} ${header}` });
      return Object.fromEntries(headers.filter((header) => typeof header !== "string"));
    });
}

/** The client sets these from the request that it sends. */
const ownHeaders =
  /^(connection|content-(encoding|length|type)|expect|host|keep-alive|te|transfer-encoding|upgrade)$/;

/** The lower-case name and the value, or what is wrong. */
function parseHeader(pair: string): readonly [string, string] | string {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase();
  if (!/^[-!#$%&'*+.^_`|~0-9a-z]+$/.test(name))
    return "has no name; write name=value, several with commas between them";
  if (ownHeaders.test(name)) return `is ${name}, which the request sets itself; remove it`;
  const value = decodePercentCodes(pair.slice(at + 1).trim());
  if (value === undefined || !/^[\t\x20-\x7e]+$/.test(value))
    return `is ${name} with an empty or unreadable value; write printable ASCII, "," as %2C and "%" as %25`;
  return [name, value];
}

/** The address of a server of ours that gets a token: https, or http on this machine; undefined when none is given. No message quotes it whole. */
export function serverAddress() {
  return z
    .string()
    .default("")
    .transform((given, context) => {
      const trimmed = given.trim();
      if (trimmed === "") return undefined;
      const url = URL.parse(trimmed);
      const problem = serverProblem(url);
      if (problem === undefined) return url ?? undefined;
      context.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    });
}

function serverProblem(url: URL | null): string | undefined {
  if (url === null || !/^https?:$/.test(url.protocol))
    return "is no address; write https://… or, on this machine, http://127.0.0.1:8080";
  if (url.username !== "" || url.password !== "")
    return `has a user or a password; write ${url.origin} and give the token by --token-file`;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return `has more than scheme, host and port; write ${url.origin}`;
  if (url.protocol === "https:" || isLoopbackHost(url.hostname)) return undefined;
  return `${url.origin} would get the token unencrypted; write https://${url.host}, or forward its port to this machine and write http://127.0.0.1:PORT`;
}
