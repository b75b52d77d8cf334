import { parseJson } from "@fleet-reloader/domain/json";
import type { RolloutRun } from "@fleet-reloader/engine/follow/rollout-runs";
import * as z from "zod";
import { causingSources, name } from "./causing-source.ts";

// Strict: what another version wrote is not the same text when we write it, and so could never be ended.
const rolloutRun: z.ZodType<RolloutRun> = z.strictObject({
  rolledAtMs: z.number(),
  sources: causingSources,
  badEnd: z.exactOptional(z.strictObject({ uid: name, atMs: z.number() })),
});

/** Equal runs are equal texts in every process: runs are compared by their texts. */
export function formatRolloutRun({ badEnd, rolledAtMs, sources }: RolloutRun): string {
  const named = sources.map(({ kind, namespace, name, change, reason }) => ({
    kind,
    namespace,
    name,
    change,
    reason,
  }));
  const end = badEnd && { uid: badEnd.uid, atMs: badEnd.atMs };
  return JSON.stringify({ rolledAtMs, sources: named, badEnd: end });
}

/** Undefined for what is none: there is nothing to follow then. */
export function parseRolloutRun(text: string): RolloutRun | undefined {
  return rolloutRun.safeParse(parseJson(text)).data;
}
