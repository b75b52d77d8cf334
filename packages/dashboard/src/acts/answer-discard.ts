import type { ActAnswer, ActBody } from "@fleet-reloader/contracts/api/act-routes";
import type { ActWords } from "@fleet-reloader/engine/act/act-parts";
import {
  discardedText,
  type FailedRoll,
  meantByDiscard,
  nothingDiscarded,
  performDiscard,
  type WantedDiscard,
} from "@fleet-reloader/engine/act/discard-rolls";
import { readNamedObject } from "@fleet-reloader/engine/act/named-object";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { answerInParts } from "./answer-in-parts.ts";
import type { ActingPerson } from "./dashboard-acts.ts";
import { assertPermitted } from "./permissions.ts";

/** Answers discard. */
export async function answerDiscard(body: ActBody<"discard">, person: ActingPerson): Promise<ActAnswer> {
  const { acts, caller, registered } = person;
  const { cause, cluster, namespace, object: text, reason, since } = body;
  const place = { cluster, namespace };
  assertPermitted("discard", caller, place, registered);
  const meant = await meantByDiscard({ object: discardedObject(text), place, cause, since }, acts.fleet);
  const nothing = nothingDiscarded(meant);
  // An act that continues reports what is left.
  if (nothing !== undefined && body.next === undefined)
    throw refusedQuestion({
      field: "object",
      value: text,
      problem: `object: ${nothing}`,
      mend: "/api/v1/queue counts what failed by reason, and what a request waits for is still tried",
    });
  const divided = {
    act: "discard" as const,
    target: meant.target,
    requests: meant.rolls,
    perform: (rolls: readonly FailedRoll[], words: ActWords) =>
      performDiscard(meant, rolls, words, acts.fleet),
    doneText: (count: number) => discardedText(meant, count),
  };
  const sealedFor = JSON.stringify([caller.name, "discard", text, cluster, namespace, cause, since, reason]);
  return await answerInParts(divided, body, Object.assign({ sealedFor }, person));
}

function discardedObject(text: string): WantedDiscard["object"] {
  if (text === "") return undefined;
  const object = readNamedObject(text, ["workload"]);
  if (object.type === "workload") return object;
  const [problem, mend] =
    object.type === "misnamed" ? [object.problem, object.mend] : ["names no workload", ""];
  throw refusedQuestion({ field: "object", value: text, problem: `object: ${problem}`, mend });
}
