import type { Clock } from "@fleet-reloader/engine/async/clock";

/** One request and its result, for metrics. */
export interface CallRecord {
  readonly method: string;
  readonly host: string;
  /** The status, or `<error>`. */
  readonly code: string;
  /** Undefined for a stream: it has no end to measure to. */
  readonly seconds: number | undefined;
}

/** Makes a request and records its result, with the time to the head of the answer, as client-go measures it. */
export async function recorded<T extends { readonly statusCode: number }>(
  clock: Clock,
  onCall: ((record: CallRecord) => void) | undefined,
  { method, host, how }: { readonly method: string; readonly host: string; readonly how: "call" | "stream" },
  request: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.monotonic();
  const record = (code: string): void => {
    const seconds = how === "call" ? (clock.monotonic() - startedAt) / 1000 : undefined;
    onCall?.({ method, host, code, seconds });
  };
  try {
    const response = await request();
    record(String(response.statusCode));
    return response;
  } catch (error) {
    record("<error>");
    throw error;
  }
}
