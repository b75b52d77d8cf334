import { isJsonObject, jsonField, jsonList, jsonText, parseJson } from "../json.ts";
import type { Keyring } from "../source/keyring.ts";
import type { KeyedDigest } from "../source/mark.ts";
import type { AppliedSource } from "./applied-source.ts";
import { formatEarlier, parseEarlier } from "./earlier-content.ts";
import { isPacked, PackedSources, packSources } from "./packed-sources.ts";
import { formatKeys, parseKeys } from "./referenced-keys.ts";

/** The pod template an applied state was made for. */
export interface AppliedTemplate {
  /** Digest of its `templateIdentity`. */
  readonly digest: string;
  /**
   * A source made up to this second was applied together with the template: its pods read it when they start. 0 after a roll of ours, which reads
   * every source first: a source that appears later is late.
   */
  readonly togetherUntilSeconds: number;
  /**
   * Another content was recorded in the middle of a rollout, without a roll of ours or with one that may have brought back an earlier template.
   * What the pods run with is known only when the rollout is over.
   */
  readonly isDuringRollout?: true;
}

/** The time since which workloads like this one are served. It is stored here so that it survives the loss of Redis. */
export interface Served {
  /** Names the settings they were served with. Workloads that these settings exclude may never have been seen. */
  readonly as: string;
  /** The API server's time. */
  readonly sinceSeconds: number;
}

/**
 * The baseline of a workload: any difference between this and the live sources is a change, even if it happened while no process of ours was
 * running. It is stored on the workload, so it survives the loss of Redis.
 */
export interface AppliedState {
  /** UID of the workload it was written for: on another workload it means nothing. Undefined in older formats, and on Jobs, which are recreated. */
  readonly uid: string | undefined;
  /** Grows with each write of ours: a state with a smaller count is older. 0 in older formats. */
  readonly count: number;
  /** Undefined in older formats. */
  readonly served: Served | undefined;
  /** The key it was made with; digests of different keys cannot be compared. */
  readonly keyId: string;
  readonly sources: ReadonlyMap<string, AppliedSource>;
  /** Undefined in older formats. */
  readonly template: AppliedTemplate | undefined;
  /** Name patterns that were looked up: a source that matches one and is not in `sources` did not exist. Only where that matters. */
  readonly patterns: readonly string[];
}

/**
 * All annotations of an object share 256 KiB, and every other write of the workload sends them along. A longer text holds digests instead of names
 * where that is shorter, which makes room for 10,000 sources.
 */
const lengthMax = 64 * 1024;

/** One line of sorted JSON. The same state always gives the same text, so writing it again changes nothing. */
export function formatAppliedState(applied: AppliedState, keys: Pick<Keyring, "find">): string {
  const { sources } = applied;
  if (sources instanceof PackedSources) return sourceTextOf(applied, sources, sources.packed);
  const text = sourceTextOf(applied, sources);
  const keyed = keys.find(applied.keyId);
  if (text.length <= lengthMax || keyed === undefined) return text;
  const { packed, named } = packSources(sources, keyed);
  return sourceTextOf(applied, named, packed);
}

function sourceTextOf(applied: AppliedState, named: AppliedState["sources"], packed = ""): string {
  const sources = [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, source]) => [name, formatSource(source, applied.keyId)]);
  return JSON.stringify({
    v: 1,
    key: applied.keyId,
    ...(applied.uid === undefined ? {} : { uid: applied.uid }),
    ...(applied.count === 0 ? {} : { n: applied.count }),
    ...(applied.served === undefined ? {} : { as: applied.served.as, since: applied.served.sinceSeconds }),
    ...(applied.template === undefined ? {} : formatTemplate(applied.template)),
    ...(applied.patterns.length === 0 ? {} : { patterns: [...applied.patterns].sort() }),
    ...(packed === "" ? {} : { packed }),
    sources: Object.fromEntries(sources),
  });
}

/** Undefined when the text is not ours or was damaged. Such a workload is adopted again. */
export function parseAppliedState(
  text: string | undefined,
  keys: Pick<Keyring, "find">,
): AppliedState | undefined {
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const keyId = jsonText(jsonField(value, "key"));
  const sources = jsonField(value, "sources");
  if (jsonField(value, "v") !== 1 || keyId === undefined || !isJsonObject(sources)) return undefined;
  const parsed = new Map<string, AppliedSource>();
  for (const [name, source] of Object.entries(sources)) {
    const one = parseSource(source, keyId);
    if (one === undefined) return undefined;
    parsed.set(name, one);
  }
  const all = withPacked(parsed, jsonField(value, "packed"), keys.find(keyId));
  if (all === undefined) return undefined;
  const patterns = jsonList(jsonField(value, "patterns")).filter((item) => typeof item === "string");
  const count = jsonField(value, "n");
  return {
    uid: jsonText(jsonField(value, "uid")),
    count: typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0,
    served: parseServed(value),
    keyId,
    sources: all,
    template: parseTemplate(value),
    patterns,
  };
}

function withPacked(
  named: ReadonlyMap<string, AppliedSource>,
  packed: unknown,
  keyed: KeyedDigest | undefined,
): ReadonlyMap<string, AppliedSource> | undefined {
  if (packed === undefined) return named;
  if (typeof packed !== "string" || !isPacked(packed) || keyed === undefined) return undefined;
  return new PackedSources(named, packed, keyed);
}

/**
 * Whether the text of an applied state contains earlier contents. Nothing else in it matches: a digest has no quotes, and no source has a list as
 * its value.
 */
export function hasEarlier(appliedText: string): boolean {
  return appliedText.includes('"earlier":[');
}

/** Reads the template of any applied state, even one made with a key we do not have: the template's digest is not secret. */
export function templateOf(appliedText: string): AppliedTemplate | undefined {
  return parseTemplate(parseJson(appliedText));
}

/** Reads any applied state, even one made with a key we do not have: the time since which its workload is served is not secret. */
export function servedOf(appliedText: string): Served | undefined {
  return parseServed(parseJson(appliedText));
}

function parseServed(value: unknown): Served | undefined {
  const as = jsonText(jsonField(value, "as"));
  const sinceSeconds = jsonField(value, "since");
  return as !== undefined && typeof sinceSeconds === "number" ? { as, sinceSeconds } : undefined;
}

function formatSource(source: AppliedSource, stateKeyId: string): unknown {
  if (source.type === "absent") return "-";
  const { digest, keyId, keys, asOfSeconds, isSetAside, goneAfterSeconds, earlier } = source;
  const others = {
    ...formatKeys(keys),
    ...(keyId === stateKeyId ? {} : { key: keyId }),
    ...(asOfSeconds === undefined ? {} : { asOf: asOfSeconds }),
    ...(isSetAside === undefined ? {} : { aside: isSetAside }),
    ...(goneAfterSeconds === undefined ? {} : { gone: goneAfterSeconds }),
    ...(earlier === undefined ? {} : { earlier: earlier.map((one) => formatEarlier(one, stateKeyId)) }),
  };
  return Object.keys(others).length === 0 ? digest : { digest, ...others };
}

function parseSource(value: unknown, stateKeyId: string): AppliedSource | undefined {
  if (value === "-") return { type: "absent" };
  if (typeof value === "string") return { type: "present", digest: value, keyId: stateKeyId, keys: "all" };
  const digest = jsonText(jsonField(value, "digest"));
  const keyId = jsonField(value, "key") ?? stateKeyId;
  const keys = parseKeys(jsonField(value, "keys"));
  if (digest === undefined || typeof keyId !== "string" || keys === undefined) return undefined;
  const asOf = jsonField(value, "asOf");
  const goneAfter = jsonField(value, "gone");
  const earlier = jsonList(jsonField(value, "earlier")).flatMap((one) => parseEarlier(one, stateKeyId) ?? []);
  return {
    type: "present",
    digest,
    keyId,
    keys,
    ...(typeof asOf === "number" ? { asOfSeconds: asOf } : {}),
    ...(jsonField(value, "aside") === true ? { isSetAside: true } : {}),
    ...(typeof goneAfter === "number" ? { goneAfterSeconds: goneAfter } : {}),
    ...(earlier.length === 0 ? {} : { earlier }),
  };
}

function formatTemplate({ digest, togetherUntilSeconds, isDuringRollout }: AppliedTemplate) {
  return {
    template: digest,
    until: togetherUntilSeconds,
    ...(isDuringRollout === undefined ? {} : { during: isDuringRollout }),
  };
}

function parseTemplate(value: unknown): AppliedTemplate | undefined {
  const digest = jsonText(jsonField(value, "template"));
  const until = jsonField(value, "until");
  if (digest === undefined || typeof until !== "number") return undefined;
  const isDuring = jsonField(value, "during") === true;
  return { digest, togetherUntilSeconds: until, ...(isDuring ? { isDuringRollout: true } : {}) };
}
