import { expect, test } from "vitest";
import { actDialogView } from "../src/acts/act-dialog.ts";
import { placeView } from "../src/answer.ts";
import { placeOfAddress } from "../src/place.ts";
import { textOf } from "./fixture/html.ts";

const parts = [
  { field: "limit", value: "0", problem: "limit: must be 1 or more", mend: "write a larger one" },
  { field: "clustr", value: "nova", problem: "clustr: is no parameter", mend: "did you mean cluster?" },
];
const problem = {
  code: "question.invalid",
  ...parts[0],
  parts,
  problem: "limit: must be 1 or more",
  mend: "",
};

const shown =
  "limit: must be 1 or more Given: 0 What to do: write a larger one clustr: is no parameter Given: nova What to do: did you mean cluster?";

test("a view that is refused for several parts names each, and what to do", () => {
  const place = placeOfAddress("/clusters", "?limit=0&clustr=nova");
  const view = placeView(place, { type: "failed", problem }, { path: "/clusters", nowMs: 0 });
  expect(textOf(view)).toContain(shown);
});

test("an act that is refused for several fields names each, and what to do", () => {
  const offer = {
    act: "freeze" as const,
    label: "Freeze …",
    subject: "the fleet",
    body: {},
    seenAt: "/held",
  };
  expect(textOf(actDialogView(offer, { type: "failed", problem }))).toContain(shown);
});
