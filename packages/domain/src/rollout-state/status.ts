import { jsonField, jsonList, jsonText } from "../json.ts";

/** A condition in the status of an object. */
export interface Condition {
  readonly status: string | undefined;
  readonly reason: string | undefined;
  readonly message: string;
  /** When the controller last wrote it, in seconds; 0 when it does not say. */
  readonly updatedAtSeconds: number;
}

/** The parts of an object that every controller fills in alike. */
export interface StatusReader {
  readonly spec: unknown;
  readonly status: unknown;
  /** Its controller has observed the present object. Until then the status describes an older one. */
  readonly isObserved: boolean;
  /** A number of the status; absent means 0, as in Go. */
  count(name: string): number;
  /** The wanted number of pods; 1 when the spec does not say. */
  readonly replicas: number;
  condition(type: string): Condition | undefined;
}

/** A field of the status that counts the pods with the present template. */
export type NewPodCount = "updatedReplicas" | "updatedNumberScheduled";

/** Reads spec and status of any object. Any part may be missing. */
export function readStatus(object: unknown): StatusReader {
  const spec = jsonField(object, "spec");
  const status = jsonField(object, "status");
  const generation = numberOf(jsonField(object, "metadata", "generation")) ?? 0;
  return {
    spec,
    status,
    isObserved: (numberOf(jsonField(status, "observedGeneration")) ?? 0) >= generation,
    count: (name) => numberOf(jsonField(status, name)) ?? 0,
    replicas: numberOf(jsonField(spec, "replicas")) ?? 1,
    condition(type) {
      const found = jsonList(status, "conditions").find((one) => jsonField(one, "type") === type);
      return found === undefined ? undefined : conditionOf(found);
    },
  };
}

/** When the controller last reported progress, in seconds; 0 when it does not. It updates the condition with each progress. */
export function progressSeconds(read: StatusReader): number {
  const progress = read.condition("Progressing");
  return progress?.status === "True" ? progress.updatedAtSeconds : 0;
}

/** Whether there are pods with the present template, by this count in its status; if it is missing, there are none yet. */
export function hasNewPods(object: unknown, count: NewPodCount = "updatedReplicas"): boolean {
  const status = readStatus(object);
  return status.isObserved && status.count(count) > 0;
}

function conditionOf(found: unknown): Condition {
  const time = jsonText(found, "lastUpdateTime") ?? jsonText(found, "lastTransitionTime");
  const parsed = Date.parse(time ?? "");
  return {
    status: jsonText(found, "status"),
    reason: jsonText(found, "reason"),
    message: jsonText(found, "message") ?? "",
    updatedAtSeconds: Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000),
  };
}

/** Argo writes its observed generation as a text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
