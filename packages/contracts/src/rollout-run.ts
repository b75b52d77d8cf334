import { parseJson } from "@fleet-reloader/domain/json";
import type { RolloutRun } from "@fleet-reloader/engine/follow/rollout-runs";
import * as z from "zod";
import { causingSources, name } from "./causing-source.ts";

// Strict: a run with fields of another version would become another text when we write it, so it could never be ended.
const rolloutRun: z.ZodType<RolloutRun> = z.strictObject({
  rolledAtMs: z.number(),
  sources: causingSources,
  badEnd: z.exactOptional(z.strictObject({ uid: name, atMs: z.number() })),
});

/** Formats a run. Equal runs give equal texts in every process, because runs are compared by their texts. */
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

/** Undefined when the text is no run: then there is nothing to follow. */
export function parseRolloutRun(text: string): RolloutRun | undefined {
  return rolloutRun.safeParse(parseJson(text)).data;
}
