import { jsonField, jsonText } from "../json.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import { formatKeys, parseKeys } from "./referenced-keys.ts";

/**
 * A content that a source had before its present one. Pods that started before `untilSeconds` and still run have it. It matters when an earlier
 * template comes back while its pods still run, for example after `kubectl rollout undo` of a rollout that hangs.
 */
export interface EarlierContent {
  /** Undefined: the source did not exist. */
  readonly digest: string | undefined;
  readonly keyId: string;
  readonly keys: ReferencedKeys;
  /** When the next content was written, in seconds of the API server's clock. */
  readonly untilSeconds: number;
  /** How many further rolls were made because pods with this content had stayed. Absent: none. */
  readonly rolledAgain?: number;
}

/** After this many rolls for one content we stop and accept the undo: a tool that undoes each roll would fight with us without end. */
const rolledAgainMax = 3;

/** One rollout that hangs sees about this many contents: a mistake, and attempts to fix it. */
export const earlierMax = 3;
/** Any one of the changed contents is enough to detect pods that have stayed. More would only make the applied state longer. */
export const earlierSourcesMax = 16;

/** Adds a content that is no longer the present one to the earlier contents. */
export function withEarlier(
  before: EarlierContent,
  earlier: readonly EarlierContent[],
): readonly EarlierContent[] {
  return [before, ...earlier].slice(0, earlierMax);
}

/** Whether one more roll may be tried for pods that have stayed. */
export function mayRollAgain([newest]: readonly EarlierContent[]): boolean {
  return (newest?.rolledAgain ?? 0) < rolledAgainMax;
}

/** The earlier contents after one more roll for pods that have stayed. */
export function afterRollAgain([newest, ...others]: readonly EarlierContent[]): readonly EarlierContent[] {
  return newest === undefined ? [] : [{ ...newest, rolledAgain: (newest.rolledAgain ?? 0) + 1 }, ...others];
}

/**
 * The earlier content that a pod started in this second has read. Undefined when it may have read the present one: in the second of the write
 * nobody knows.
 */
export function contentAt(
  earlier: readonly EarlierContent[],
  startedAtSeconds: number,
): EarlierContent | undefined {
  return earlier.findLast(({ untilSeconds }) => startedAtSeconds < untilSeconds);
}

export function formatEarlier(earlier: EarlierContent, stateKeyId: string) {
  const { digest, keyId, keys, rolledAgain, untilSeconds } = earlier;
  return {
    until: untilSeconds,
    ...(rolledAgain === undefined ? {} : { again: rolledAgain }),
    ...(digest === undefined ? {} : { digest }),
    ...formatKeys(keys),
    ...(keyId === stateKeyId ? {} : { key: keyId }),
  };
}

/** Undefined when it is not as we write it. Then nothing is known of those pods. */
export function parseEarlier(value: unknown, stateKeyId: string): EarlierContent | undefined {
  const untilSeconds = jsonField(value, "until");
  const keys = parseKeys(jsonField(value, "keys"));
  if (typeof untilSeconds !== "number" || keys === undefined) return undefined;
  const keyId = jsonText(jsonField(value, "key")) ?? stateKeyId;
  const again = jsonField(value, "again");
  return {
    digest: jsonText(jsonField(value, "digest")),
    keyId,
    keys,
    untilSeconds,
    ...(typeof again === "number" ? { rolledAgain: again } : {}),
  };
}
