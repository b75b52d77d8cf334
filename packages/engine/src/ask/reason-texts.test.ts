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
import { type AnsweredReason, reasonText } from "./reason-texts.ts";

const known = [
  ...[yesReasons, noReasons, rollReasons, stayReasons, holdReasons],
  ...[logReasons, unservedReasons, unknownReasons],
].flatMap((list) => list.map(({ reason }) => reason));
type KnownReason = (typeof known)[number];

// Reasons of lines about registrations, stashes, keys and audit events: no answer about a workload has one.
const neverAnswered = [
  ...["FreezeIdle", "RegistrationPaused", "RegistrationUnusable", "ScopeIdle"],
  ...["ResourceAbsent", "StashUnreadable", "OldKeyForgotten", "AuditBody", "HintMissed"],
] as const satisfies readonly Exclude<KnownReason, AnsweredReason>[];
type NeverAnswered = (typeof neverAnswered)[number];

/** The types ensure that every other known reason has a text. */
const answered: readonly AnsweredReason[] = known.filter(
  (reason): reason is Exclude<KnownReason, NeverAnswered> => !neverAnswered.some((never) => never === reason),
);

test("the texts of all reasons are those that were agreed on", async () => {
  const text = `${answered.map(reasonText).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot("./__golden__/reasons.txt");
});

test("a reason that this version does not know stands for itself", () => {
  expect(reasonText("Unheard")).toBe("Unheard.");
});
