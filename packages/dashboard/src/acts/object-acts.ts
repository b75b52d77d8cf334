import type { ActAnswer, ActBody } from "@fleet-reloader/contracts/api/act-routes";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { readNamedObject } from "@fleet-reloader/engine/act/named-object";
import {
  actedTypes,
  doneText,
  meantByAct,
  nothingMeant,
  type ObjectAction,
  performAct,
} from "@fleet-reloader/engine/act/object-act";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { clusterNamer } from "@fleet-reloader/engine/overview/registered-clusters";
import { assertIntended } from "./assert-intended.ts";
import type { ActingPerson } from "./dashboard-acts.ts";
import { assertPermitted } from "./permissions.ts";

/** Answers retry, replay and release. */
export async function answerObjectAct(
  act: ObjectAction,
  { cluster, dryRun, expect, namespace, object: text, reason }: ActBody<ObjectAction>,
  { acts, caller, registered }: ActingPerson,
): Promise<ActAnswer> {
  const place = { cluster, namespace };
  assertPermitted(act, caller, place, registered);
  const object = readNamedObject(text, actedTypes[act]);
  if (object.type === "misnamed") {
    const problem = `object: ${object.problem}`;
    throw refusedQuestion({ field: "object", value: text, problem, mend: object.mend });
  }
  const meant = await meantByAct({ action: act, object, place }, acts.fleet);
  const nothing = nothingMeant(meant);
  if (nothing !== undefined)
    throw refusedQuestion({
      field: "object",
      value: text,
      problem: `object: ${nothing}`,
      mend: "/api/v1/held lists what is on hold, and fleet-reloader managed what is reloaded",
    });
  const { requests, target } = meant;
  const nameOf = clusterNamer(registered);
  const workloads = requests
    .slice(0, shownMax)
    .map((request) => ({ cluster: nameOf(request.cluster), workload: workloadKey(request.workload) }));
  const answer = { act, target, count: requests.length, workloads };
  if (dryRun) return Object.assign(answer, { isDone: false });
  assertIntended({ reason, expect }, requests.length);
  await performAct(meant, { by: caller.name, reason }, acts.fleet);
  return Object.assign(answer, { isDone: true, notice: doneText(meant) });
}

/** As many as somebody reads before they act. */
export const shownMax = 10;
