import type { ActAnswer, ActName } from "@fleet-reloader/contracts/api/act-routes";
import { Fault } from "@fleet-reloader/domain/fault";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { type ActWords, actPlace, afterPlace } from "@fleet-reloader/engine/act/act-parts";
import { clusterNamer } from "@fleet-reloader/engine/overview/registered-clusters";
import type { Request } from "@fleet-reloader/engine/ports/request";
import { type ActProgress, beginProgress } from "./act-progress.ts";
import { assertIntended } from "./assert-intended.ts";
import type { ActingPerson } from "./dashboard-acts.ts";

/** Workloads in the answer: as many as a person reads before they act. */
export const shownMax = 10;

/** An act on workloads that may be done in parts. */
export interface DividedAct<R extends Request> {
  readonly act: ActName;
  readonly target: string;
  /** Everything the act covers now, in the order in which it is done. */
  readonly requests: readonly R[];
  readonly perform: (requests: readonly R[], words: ActWords) => Promise<void>;
  /** The result of the whole act, as a sentence for people. */
  readonly doneText: (count: number) => string;
}

interface AskedParts {
  readonly dryRun: boolean;
  readonly reason: string;
  readonly expect?: number | undefined;
  readonly batch?: number | undefined;
  readonly next?: string | undefined;
}

/** Answers an act on many workloads: what it covers, or the result of the whole act or of one part. */
export async function answerInParts<R extends Request>(
  divided: DividedAct<R>,
  asked: AskedParts,
  { caller, progress: seal, registered, sealedFor }: ActingPerson & { readonly sealedFor: string },
): Promise<ActAnswer> {
  const { act, requests, target } = divided;
  const nameOf = clusterNamer(registered);
  const workloads = requests
    .slice(0, shownMax)
    .map(({ cluster, workload }) => ({ cluster: nameOf(cluster), workload: workloadKey(workload) }));
  const count = requests.length;
  if (asked.dryRun) return { act, target, count, workloads, isDone: false };
  const before = progressOfAct(asked, count, (next) => seal.read(sealedFor, next));
  const left = afterPlace(requests, before.after);
  assertUnchanged(before, left.length);
  const part = left.slice(0, asked.batch ?? left.length);
  const isWhole = part.length === before.of;
  await divided.perform(part, {
    by: caller.name,
    reason: asked.reason,
    part: isWhole ? undefined : { id: before.id, of: before.of, before: before.done },
  });
  const last = part.at(-1);
  const after = last === undefined ? before.after : actPlace(last);
  const now: ActProgress = { id: before.id, of: before.of, done: before.done + part.length, after };
  const answer = { act, target, count: now.of, done: now.done, workloads };
  if (part.length < left.length)
    return Object.assign(answer, { isDone: false, next: seal.write(sealedFor, now) });
  return Object.assign(answer, { isDone: true, notice: divided.doneText(now.of) });
}

function progressOfAct(
  { expect, next, reason }: AskedParts,
  count: number,
  read: (next: string) => ActProgress,
): ActProgress {
  const before = next === undefined ? beginProgress(count) : read(next);
  // The seal holds the number of workloads that was confirmed with the first part.
  assertIntended({ reason, expect: next === undefined ? expect : before.of }, before.of);
  return before;
}

/** Faults when the workloads that are left are not as many as the act still has to do. */
function assertUnchanged({ done, of }: ActProgress, left: number): void {
  if (left === of - done) return;
  const mend = "look at what is meant now, and begin again";
  const problem = `expect: ${left} are left now where ${of - done} were; the act ends, and at least ${done} of ${of} are done`;
  throw new Fault("question.invalid", `${problem}; ${mend}`, {
    context: { field: "expect", value: String(of - done), mend, count: left },
  });
}
