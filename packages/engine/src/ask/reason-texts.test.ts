import {
  noReasons,
  unknownReasons,
  unservedReasons,
  yesReasons,
} from "@fleet-reloader/domain/decision/reasons";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { logReasons } from "@fleet-reloader/domain/log-reasons";
import { rollReasons, stayReasons } from "@fleet-reloader/domain/plan/reasons";
import { expect, test } from "vitest";
import { answeredReasons, reasonText } from "./reason-texts.ts";

// Reasons of lines about registrations, stashes, keys and audit events: no answer about a workload has one.
const neverAnswered = [
  ...["FreezeIdle", "RegistrationPaused", "RegistrationUnusable"],
  ...["ResourceAbsent", "StashUnreadable", "OldKeyForgotten", "AuditBody", "HintMissed"],
];
const known = [
  ...[yesReasons, noReasons, rollReasons, stayReasons, holdReasons],
  ...[unservedReasons, unknownReasons, logReasons],
].flatMap((list) => list.map(({ reason }) => reason));

test("every reason that an answer may have has a text, and a text is of a known reason", () => {
  const expected = known.filter((reason) => !neverAnswered.includes(reason));
  expect(answeredReasons.toSorted()).toEqual(expected.toSorted());
});

test("the texts of all reasons are those that were agreed on", async () => {
  const text = `${answeredReasons.map(reasonText).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot("./__golden__/reasons.txt");
});

test("a reason that this version does not know stands for itself", () => {
  expect(reasonText("Unheard")).toBe("Unheard.");
});
