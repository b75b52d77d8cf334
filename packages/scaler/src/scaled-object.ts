import { Code, ConnectError } from "@connectrpc/connect";

/** How a ScaledObject scales its workers. */
export interface ScaleTarget {
  /** Requests that keep one worker busy: the target of the HPA. */
  readonly workPerWorker: number;
}

/** The metadata key that we read. The others are KEDA's own, and KEDA passes them on. */
const targetKey = "targetValue";
const kedaKeys = ["scalerAddress", "enableTLS", "unsafeSsl"];
/** The chart's default: about four fifths of what a worker handles at once (its --concurrency). */
const defaultTarget = 25;

/** Reads the metadata of a trigger. Wrong metadata is refused, and KEDA shows the message at the ScaledObject. */
export function readScaleTarget(metadata: Readonly<Record<string, string>>): ScaleTarget {
  const unknown = Object.keys(metadata).filter((key) => key !== targetKey && !kedaKeys.includes(key));
  if (unknown.length > 0)
    throw invalid(
      `the trigger's metadata ${unknown.sort().join(", ")}: not known here; write ${targetKey}, or remove it`,
    );
  const given = metadata[targetKey];
  if (given === undefined) return { workPerWorker: defaultTarget };
  const workPerWorker = Number(given);
  if (given.trim() === "" || !Number.isFinite(workPerWorker) || workPerWorker <= 0)
    throw invalid(
      `the trigger's metadata ${targetKey}: ${JSON.stringify(given)} is no positive number; write for example "${defaultTarget}"`,
    );
  return { workPerWorker };
}

export function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
