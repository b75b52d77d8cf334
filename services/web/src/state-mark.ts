import { el, type ViewElement } from "./view-node.ts";

/** The urgency of a state. Each tone has its colour; sign and word say the same without it. */
export type Tone = "good" | "bad" | "warning" | "waiting" | "busy" | "quiet";

const marks: Readonly<Record<string, readonly [sign: string, tone: Tone]>> = {
  healthy: ["✔", "good"],
  failed: ["✖", "bad"],
  stalled: ["⚠", "warning"],
  held: ["‖", "waiting"],
  rolling: ["◐", "busy"],
  discarded: ["⊘", "quiet"],
  superseded: ["–", "quiet"],
  gone: ["–", "quiet"],
  unchanged: ["–", "quiet"],
  roll: ["◐", "busy"],
  stays: ["✔", "good"],
  unserved: ["–", "quiet"],
  unknown: ["?", "warning"],
  Ready: ["✔", "good"],
  Degraded: ["⚠", "warning"],
  Unreachable: ["✖", "bad"],
  Forbidden: ["✖", "bad"],
  Paused: ["‖", "waiting"],
  Alias: ["–", "quiet"],
  Gone: ["–", "quiet"],
};
const begun = ["◐", "busy"] as const;

/** A state as sign, word and colour. */
export function stateMark(state: string, word: string = state): ViewElement {
  const [sign, tone] = Object.hasOwn(marks, state) ? (marks[state] ?? begun) : begun;
  return el("span", { class: `state ${tone}` }, el("span", { "aria-hidden": "true" }, sign), ` ${word}`);
}
