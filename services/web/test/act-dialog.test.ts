import type { ActAnswer } from "@fleet-reloader/contracts/api/act-routes";
import { expect, test } from "vitest";
import { actDialogView } from "../src/acts/act-dialog.ts";
import { textOf } from "./fixture/html.ts";

const frozen: ActAnswer = { act: "freeze", target: "the fleet", count: 4, workloads: [], isDone: true };

test.each<readonly [Partial<ActAnswer>, string]>([
  [{ reading: "read" }, "✔ Done. frozen"],
  // A server of an older version.
  [{}, "✔ Done. frozen"],
  [{ reading: "unread" }, "⚠ frozen"],
  [{ reading: "unreadable" }, "⚠ frozen"],
  [{ count: 0 }, "⚠ frozen"],
  [{ act: "retry", count: 0 }, "✔ Done. frozen"],
])("the dialog of a freeze whose answer has %j says %s", (answer, says) => {
  const done = Object.assign({}, frozen, { notice: "frozen" }, answer);
  const offer = { act: done.act, label: "Freeze …", subject: "the fleet", body: {}, seenAt: "/held" };
  expect(textOf(actDialogView(offer, { type: "done", done }))).toContain(says);
});
