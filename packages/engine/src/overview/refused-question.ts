import { Fault } from "@fleet-reloader/domain/fault";

/** Why a question cannot be answered as it was asked. */
export interface QuestionRefusal {
  /** The wrong part of the question, for example `cluster`. */
  readonly field: string;
  /** The given value. */
  readonly value: string;
  /** A sentence that begins with the field. */
  readonly problem: string;
  /** What to write; empty: no mend is known. */
  readonly mend: string;
}

/** Longer values are cut: the asker knows what they wrote. */
const shownValueMax = 253;

/** The fault of a question that cannot be answered as it was asked. */
export function refusedQuestion({ field, value, problem, mend }: QuestionRefusal): Fault {
  return new Fault("question.invalid", mend === "" ? problem : `${problem}; ${mend}`, {
    context: { field, value: value.slice(0, shownValueMax), mend },
  });
}
