/** An annotation that does not mean what its writer intended. Shown to people; holds no content of any source. */
export interface AnnotationProblem {
  readonly annotation: string;
  /** The value as written, cut when long. */
  readonly value: string;
  /** The problem, and what the product does instead. */
  readonly problem: string;
  /** What to write. */
  readonly mend: string;
}

/** An annotation may have 256 KiB. An Event or a line of a terminal has less room. */
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
