import {
  noReasons,
  unknownReasons,
  unservedReasons,
  yesReasons,
} from "@fleet-reloader/domain/decision/reasons";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { parkReasons } from "@fleet-reloader/domain/park-reasons";
import { rollReasons, stayReasons } from "@fleet-reloader/domain/plan/reasons";
import { expect, test } from "vitest";
import { type AnsweredReason, reasonText } from "./reason-texts.ts";

/** The types ensure that every one has a text. */
const answered: readonly AnsweredReason[] = [
  ...[yesReasons, noReasons, rollReasons, stayReasons, holdReasons],
  ...[parkReasons, unservedReasons, unknownReasons],
].flatMap((list) => list.map(({ reason }) => reason));

test("the texts of all reasons are those that were agreed on", async () => {
  const text = `${answered.map(reasonText).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot("./__golden__/reasons.txt");
});

test("a reason that this version does not know stands for itself", () => {
  expect(reasonText("Unheard")).toBe("Unheard.");
});
