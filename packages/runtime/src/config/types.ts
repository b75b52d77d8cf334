import { decodePercentCodes } from "@fleet-reloader/domain/bytes";
import { parseDuration } from "@fleet-reloader/domain/duration";
import * as z from "zod";
import { isLoopbackHost } from "./loopback.ts";

/** What is wrong with a given value, and how to write it. */
export interface Problem {
  readonly problem: string;
}

/** A text that `read` turns into a value, or refuses. */
export function parsedText<Value>(defaultText: string, read: (text: string) => Value | Problem) {
  return z.string().default(defaultText).transform(valueOrIssue(read));
}

/** A list flag (`csvList`) whose items `read` turns into a value, or refuses. */
export function parsedList<Value>(read: (items: readonly string[]) => Value | Problem) {
  return csvList().transform(valueOrIssue(read));
}

function valueOrIssue<Given, Value>(read: (given: Given) => Value | Problem) {
  return (given: Given, context: z.RefinementCtx): Value => {
    const found = read(given);
    if (!isProblem(found)) return found;
    context.addIssue({ code: "custom", message: found.problem });
    return z.NEVER;
  };
}

function isProblem(found: unknown): found is Problem {
  return typeof found === "object" && found !== null && "problem" in found;
}

/** `2s`, `1m30s`, `500ms`, `2d`, `0`: milliseconds. */
export function duration(defaultText: string) {
  return parsedText(defaultText, (text): number | Problem => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= 0) return ms;
    return { problem: "is no duration; write for example 2s, 1m30s, 500ms, 2d or 0" };
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
  return parsedText(defaultText, readAddress);
}

/** The same, or undefined: where nothing is given, nothing listens. */
export function optionalListenAddress() {
  return parsedText("", (text) => (text === "" ? undefined : readAddress(text)));
}

/** An empty host means all addresses, of IPv6 and of IPv4. */
function readAddress(text: string): { readonly host: string; readonly port: number } | Problem {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match !== null && port <= 65_535) return { host: match[1] ?? match[2] ?? "", port };
  return { problem: "is no address; write host:port, for example 127.0.0.1:9090" };
}

/** A whole number from `min` to `max`. */
export function wholeNumber(defaultText: string, min: number, max: number) {
  return parsedText(defaultText, (text) => readCount(text, min, max));
}

/** The same, or undefined where nothing is given: 0 may be meant. */
export function optionalWholeNumber(min: number, max: number) {
  const read = (text: string | undefined) => (text === undefined ? undefined : readCount(text, min, max));
  return z.string().optional().transform(valueOrIssue(read));
}

function readCount(text: string, min: number, max: number): number | Problem {
  const count = Number(text);
  if (/^\d+$/.test(text.trim()) && count >= min && count <= max) return count;
  return { problem: `must be a whole number from ${min} to ${max}` };
}

/** `true` or `false`, also in Go's other spellings. */
export function boolean(defaultValue: boolean) {
  return parsedText(String(defaultValue), readBoolean);
}

/** The same, or undefined where nothing is given: the default depends on other fields. */
export function optionalBoolean() {
  return parsedText("", (text) => (text === "" ? undefined : readBoolean(text)));
}

function readBoolean(text: string): boolean | Problem {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  return { problem: "is neither true nor false; write true or false" };
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
  return z.array(z.string()).default([]).transform(valueOrIssue(readCsv));
}

function readCsv(lines: readonly string[]): string[] | Problem {
  const lists = lines.map(splitCsv);
  if (lists.every((list) => list !== undefined)) return lists.flat();
  return {
    problem: 'has a double quote out of place; write a,b or "x,y",z, and "" for a quote inside quotes',
  };
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
  return address(webUrl);
}

/** An address that `check` allows, without spaces around it. */
function address(check: (url: URL | null) => URL | Problem) {
  return parsedText("", (given) => {
    const text = given.trim();
    return text === "" ? undefined : check(URL.parse(text));
  });
}

/** The client sends the login percent-decoded. */
function webUrl(url: URL | null): URL | Problem {
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: "is no address; write http://… or https://…" };
  if ([url.username, url.password].some((text) => decodePercentCodes(text) === undefined))
    return { problem: "its user or password has a % that begins no code; write %25 for a %" };
  return url;
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
  return address(serverUrl);
}

function serverUrl(url: URL | null): URL | Problem {
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: "is no address; write https://… or, on this machine, http://127.0.0.1:8080" };
  if (url.username !== "" || url.password !== "")
    return { problem: `has a user or a password; write ${url.origin} and give the token by --token-file` };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return { problem: `has more than scheme, host and port; write ${url.origin}` };
  if (url.protocol === "https:" || isLoopbackHost(url.hostname)) return url;
  return {
    problem: `${url.origin} would get the token unencrypted; write https://${url.host}, or forward its port to this machine and write http://127.0.0.1:PORT`,
  };
}
