import { Fault } from "@fleet-reloader/domain/fault";

/** Why a question cannot be answered as it was put. */
export interface QuestionRefusal {
  /** What of the question is wrong, for example `cluster`. */
  readonly field: string;
  /** What was given. */
  readonly value: string;
  /** In words, and beginning with the field. */
  readonly problem: string;
  /** What to write; empty: nothing is known that would help. */
  readonly mend: string;
}

/** Longer values are cut: who asked knows what they wrote. */
const shownValueMax = 253;

/** The fault of a question that cannot be answered as it was put. */
export function refusedQuestion({ field, value, problem, mend }: QuestionRefusal): Fault {
  return new Fault("question.invalid", mend === "" ? problem : `${problem}; ${mend}`, {
    context: { field, value: value.slice(0, shownValueMax), mend },
  });
}
