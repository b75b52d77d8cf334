import { Fault, type RefusedPart } from "@fleet-reloader/domain/fault";

/** Longer values are cut: the asker knows what they wrote. */
const shownValueMax = 253;
/** Wrong parts that are told of one question: nobody mends more at once. */
const shownPartsMax = 20;

/** The fault of a question that cannot be answered as it was asked. */
export function refusedQuestion(part: RefusedPart): Fault {
  return refusedParts([part]);
}

/** The fault of a question with these wrong parts. It is about the first one, and has all of them. */
export function refusedParts(parts: readonly RefusedPart[]): Fault {
  const shown = parts.slice(0, shownPartsMax).map(shortened);
  const [first] = shown;
  return new Fault("question.invalid", shown.map(partText).join("\n"), {
    ...(first === undefined ? {} : { context: { field: first.field, value: first.value, mend: first.mend } }),
    parts: shown.length > 1 ? shown : [],
  });
}

function shortened({ field, value, problem, mend }: RefusedPart): RefusedPart {
  return { field, value: value.slice(0, shownValueMax), problem, mend };
}

function partText({ problem, mend }: RefusedPart): string {
  return mend === "" ? problem : `${problem}; ${mend}`;
}
