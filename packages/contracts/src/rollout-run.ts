import { parseJson } from "@fleet-reloader/domain/json";
import type { RolloutRun } from "@fleet-reloader/engine/follow/rollout-runs";
import * as z from "zod";
import { causingSources } from "./causing-source.ts";

// Strict: what another version wrote is not the same text when we write it, and so could never be ended.
const rolloutRun: z.ZodType<RolloutRun> = z.strictObject({
  rolledAtMs: z.number(),
  sources: causingSources,
});

/** Equal runs are equal texts in every process: runs are compared by their texts. */
export function formatRolloutRun({ rolledAtMs, sources }: RolloutRun): string {
  const named = sources.map(({ kind, namespace, name, change, reason }) => ({
    kind,
    namespace,
    name,
    change,
    reason,
  }));
  return JSON.stringify({ rolledAtMs, sources: named });
}

/** Undefined for what is none: there is nothing to follow then. */
export function parseRolloutRun(text: string): RolloutRun | undefined {
  return rolloutRun.safeParse(parseJson(text)).data;
}
