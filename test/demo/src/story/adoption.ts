import type { Step } from "./step.ts";

/** The product has just been started on clusters that were running before it. */
export const adoption: Step = {
  scenario: "start",
  title: "What runs already is adopted as it is",
  story: [],
  acts: [],
  expects: "no roll because of an installation",
  rolls: [],
};

/** After the last step: whatever was still on its way has had its time. */
export const quietEnd: Step = {
  scenario: "end",
  title: "The dust settles",
  story: [],
  acts: [],
  expects: "no late roll of anything",
  rolls: [],
};
