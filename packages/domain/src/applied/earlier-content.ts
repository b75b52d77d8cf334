import { jsonField, jsonText } from "../json.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import { formatKeys, parseKeys } from "./referenced-keys.ts";

/**
 * What pods read of a source before its present content: those that started until then and have not ended since run with it. It counts
 * when a template returns while pods of it still run: after `kubectl rollout undo` of a rollout that hangs.
 */
export interface EarlierContent {
  /** Undefined: there was no such source. */
  readonly digest: string | undefined;
  readonly keyId: string;
  readonly keys: ReferencedKeys;
  /** When the next content was written, in seconds of the API server's clock. */
  readonly untilSeconds: number;
  /** How many rolls followed the one for the next content, because pods with this one had stayed. Absent: none. */
  readonly rolledAgain?: number;
}

/** Who undoes more rolls for one content than this is obeyed: a tool that undoes each would fight with us without end. */
const rolledAgainMax = 3;

/** As many contents as one rollout that hangs sees: a mistake, and attempts to mend it. */
export const earlierMax = 3;
/** Any one of the contents that changed is enough to see that pods have stayed. More would only make the applied state long. */
export const earlierSourcesMax = 16;

/** The earlier contents when this one is no longer the present one. */
export function withEarlier(
  before: EarlierContent,
  earlier: readonly EarlierContent[],
): readonly EarlierContent[] {
  return [before, ...earlier].slice(0, earlierMax);
}

/** Whether one more roll is tried for pods that have stayed. */
export function mayRollAgain([newest]: readonly EarlierContent[]): boolean {
  return (newest?.rolledAgain ?? 0) < rolledAgainMax;
}

/** The earlier contents after one more roll for pods that have stayed. */
export function afterRollAgain([newest, ...others]: readonly EarlierContent[]): readonly EarlierContent[] {
  return newest === undefined ? [] : [{ ...newest, rolledAgain: (newest.rolledAgain ?? 0) + 1 }, ...others];
}

/** What a pod that started in this second read, if it was surely an earlier content: of the last second before the next one nobody knows. */
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

/** Undefined when it is not as we write it: nothing is known of those pods then. */
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
