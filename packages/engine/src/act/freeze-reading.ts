import {
  describeScope,
  type Freeze,
  isInForce,
  unreadableFreezesText,
} from "@fleet-reloader/domain/hold/freeze";
import { answerWithin } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";

/** A freeze that a watcher has read. */
export interface SaidFreeze {
  readonly freeze: Freeze;
  /** How long ago a watcher reported it last, by one clock for all. */
  readonly silentMs: number;
}

/** The freezes that watchers report from the documents they read. */
export interface FreezeReadings {
  /** Each freeze once for each watcher that reported it. Reports of watchers that are gone stay for a while. */
  said(): Promise<readonly SaidFreeze[]>;
  /** Why a document cannot be read, so that nothing is rolled; undefined: all can be read. */
  unreadable(): Promise<string | undefined>;
}

/** Watchers read the freezes every 5 s and report them. This time allows for four rounds of a busy fleet. */
const readingMs = 20_000;
const readingLookMs = 250;
/** Redis answers within a millisecond. A look that begins late waits this long for the answer. */
const lastLookMs = 2000;

/** Whether a watcher has read a freeze. Or why watchers cannot read their documents. */
export type FreezeReading = "read" | "unread" | { readonly unreadable: string };

export interface FreezeReadingOptions {
  readonly readings: FreezeReadings;
  readonly clock: Clock;
}

/**
 * Waits until a watcher reports that it has read a freeze that was just written, which shows that its document is obeyed. Earlier reports
 * may be of another freeze, or of watchers that are gone. A freeze that ends meanwhile counts as read. Rejects when the signal is
 * aborted, and when Redis does not answer before the wait is over.
 */
export async function readByWatchers(
  freeze: Freeze,
  { clock, readings }: FreezeReadingOptions,
  signal: AbortSignal,
): Promise<FreezeReading> {
  const writtenAtMs = clock.monotonic();
  const answered = <T>(asked: Promise<T>): Promise<T> => {
    const leftMs = writtenAtMs + readingMs - clock.monotonic();
    return answerWithin(Math.max(leftMs, lastLookMs), clock, asked, silentReadingsText);
  };
  while (isInForce(freeze, clock.now())) {
    const said = await answered(readings.said());
    const sinceMs = clock.monotonic() - writtenAtMs;
    if (said.some((each) => each.silentMs <= sinceMs && isSameFreeze(each.freeze, freeze))) return "read";
    if (sinceMs >= readingMs) {
      const why = await answered(readings.unreadable());
      return why === undefined ? "unread" : { unreadable: why };
    }
    await clock.sleep(readingLookMs, signal);
  }
  return "read";
}

const silentReadingsText =
  "Redis does not answer whether a watcher has read it; it holds if the workers read this document";

/** A document of freezes, and how to tell people to give the one that the watchers read. */
export interface WrittenDocument {
  readonly document: string;
  /** The beginning of a sentence, for people. */
  readonly mend: "Name" | "Give the dashboard";
}

/** Why a freeze that covers something may hold nothing, for people. */
export function unheldText(
  reading: Exclude<FreezeReading, "read">,
  { document, mend }: WrittenDocument,
): string {
  if (reading !== "unread") return unknownCoverageText(unreadableFreezesText(reading.unreadable));
  return `it may hold nothing: no watcher has read ${document} within ${readingMs / 1000} s. ${mend} the document that the watchers and workers read: --freeze-configmap NAMESPACE/NAME or --freeze-file FILE. If it is that one no watcher runs, and the workers obey it all the same`;
}

/** Says that it is not known what a freeze covers, for people. */
export function unknownCoverageText(why: string): string {
  return `it is not known what the freeze covers: ${why}`;
}

function isSameFreeze(one: Freeze, other: Freeze): boolean {
  return (
    one.reason === other.reason &&
    one.by === other.by &&
    one.untilMs === other.untilMs &&
    describeScope(one.scope) === describeScope(other.scope)
  );
}
