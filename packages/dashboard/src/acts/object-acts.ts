import type { ActAnswer, ActBody } from "@fleet-reloader/contracts/api/act-routes";
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
import { answerInParts } from "./answer-in-parts.ts";
import type { ActingPerson } from "./dashboard-acts.ts";
import { assertPermitted } from "./permissions.ts";

/** Answers retry, replay and release. */
export async function answerObjectAct(
  act: ObjectAction,
  body: ActBody<ObjectAction>,
  person: ActingPerson,
): Promise<ActAnswer> {
  const { acts, caller, registered } = person;
  const { cluster, namespace, object: text, reason } = body;
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
  const divided = {
    act,
    target,
    requests,
    perform: (part: typeof requests, words: Parameters<typeof performAct>[1]) =>
      performAct({ ...meant, requests: part }, words, acts.fleet),
    doneText: (count: number) => doneText({ action: act, target }, count),
  };
  const sealedFor = JSON.stringify([caller.name, act, text, cluster, namespace, reason]);
  return await answerInParts(divided, body, Object.assign({ sealedFor }, person));
}
