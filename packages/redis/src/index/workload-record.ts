import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type {
  SeenInterest,
  ServedRecord,
  WorkloadRecord,
} from "@fleet-reloader/engine/ports/workload-records";

/** The text in Redis; empty when there is no event. */
export function encodeSeen(seen: SeenInterest | undefined): string {
  return seen === undefined ? "" : JSON.stringify([seen.uid, seen.atSeconds, seen.resourceVersion]);
}

export function readSeen(text: string | null | undefined): SeenInterest | undefined {
  const value = parseJson(text ?? "");
  if (!Array.isArray(value)) return undefined;
  const [uid, atSeconds, resourceVersion] = value.map((part: unknown) => part);
  if (typeof uid !== "string" || typeof atSeconds !== "number") return undefined;
  return { uid, atSeconds, ...(typeof resourceVersion === "string" ? { resourceVersion } : {}) };
}

export function encodeServed({ as, sinceSeconds, isRestored }: ServedRecord): string {
  return JSON.stringify({ as, since: sinceSeconds, ...(isRestored ? { restored: true } : {}) });
}

export function readServed(text: string | null | undefined): ServedRecord | undefined {
  const value = parseJson(text ?? "");
  const as = jsonText(value, "as");
  const sinceSeconds = jsonField(value, "since");
  if (as === undefined || typeof sinceSeconds !== "number") return undefined;
  return { as, sinceSeconds, isRestored: jsonField(value, "restored") === true };
}

/** The second of the write, a space, the applied state. Records of older versions hold the applied state alone. */
export function encodeApplied(appliedText: string, atSeconds: number): string {
  return `${atSeconds} ${appliedText}`;
}

export function readApplied(
  text: string | null | undefined,
): Pick<WorkloadRecord, "appliedText" | "appliedAtSeconds"> {
  const found = /^(\d+) /.exec(text ?? "");
  if (found === null) return { appliedText: text ?? undefined, appliedAtSeconds: undefined };
  return { appliedText: text?.slice(found[0].length), appliedAtSeconds: Number(found[1]) };
}
