import { Fault } from "@fleet-reloader/domain/fault";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";

/** Faults unless the caller gives a reason, and the act covers as many workloads as the caller was shown. */
export function assertIntended(
  { expect, reason }: { readonly reason: string; readonly expect?: number | undefined },
  count: number,
): void {
  if (reason.trim() === "")
    throw refusedQuestion({
      field: "reason",
      value: reason,
      problem: "reason: it is missing",
      mend: "write why, for example incident 4711",
    });
  if (expect === undefined)
    throw refusedQuestion({
      field: "expect",
      value: "",
      problem: "expect: it is missing",
      mend: "ask with dryRun: true, and send the count of its answer",
    });
  if (expect === count) return;
  const mend = "look at what is meant now, and send its count";
  throw new Fault(
    "question.invalid",
    `expect: ${count} workload${count === 1 ? " is" : "s are"} meant now; nothing was done; ${mend}`,
    { context: { field: "expect", value: String(expect), mend, count } },
  );
}
