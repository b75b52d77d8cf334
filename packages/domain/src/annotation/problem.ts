/** An annotation that does not say what its writer meant. Shown to people; holds no content of any source. */
export interface AnnotationProblem {
  readonly annotation: string;
  /** The value as written, cut when long. */
  readonly value: string;
  /** The problem, and what is done instead. */
  readonly problem: string;
  /** What to write. */
  readonly mend: string;
}

/** An annotation may have 256 KiB; an Event or a line of a terminal has not. */
const valueLengthMax = 128;

/** A problem with its value cut to a length that can be shown. */
export function annotationProblem(
  annotation: string,
  value: string,
  problem: string,
  mend: string,
): AnnotationProblem {
  const shown = value.length > valueLengthMax ? `${value.slice(0, valueLengthMax)}…` : value;
  return { annotation, value: shown, problem, mend };
}
