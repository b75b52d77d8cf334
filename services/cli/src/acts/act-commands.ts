import { defineCommand } from "../frame/command.ts";
import { actExitCodes, runAct, runDiscard } from "./act.ts";
import { actFlags, discardFlags } from "./act-flags.ts";

const oneObject = { mend: "write one KIND/NAME, for example Deployment/api", min: 1, max: 1 } as const;

export const retryCommand = defineCommand({
  name: "retry",
  purpose: "Check a workload now, and roll it if it has to roll",
  details: `It rolls only if the content that its pods started with is not the current one. A freeze, a breaker or a budget still holds it.`,
  examples: [
    'fleet-reloader retry Deployment/api --namespace shop --cluster nova --reason "the quota is raised"',
    'fleet-reloader retry deploy/api --reason "incident 4711" --expect 37',
  ],
  arguments: { placeholder: "KIND/NAME", mend: oneObject.mend, min: oneObject.min, max: oneObject.max },
  flags: actFlags,
  exitCodes: actExitCodes,
  run: ({ config, words: [text = ""] }, io) => runAct("retry", text, config, io),
});

export const replayCommand = defineCommand({
  name: "replay",
  purpose: "Check every workload that uses a source now, as if it had just changed",
  details: "Workloads whose pods run with the current content stay as they are.",
  examples: [
    'fleet-reloader replay Secret/db --namespace shop --reason "rotation 12" --yes',
    'fleet-reloader replay cm/settings --cluster nova --reason "webhook was down" --expect 12',
  ],
  arguments: { placeholder: "KIND/NAME", mend: "write one KIND/NAME, for example Secret/db", min: 1, max: 1 },
  flags: actFlags,
  exitCodes: actExitCodes,
  run: ({ config, words: [text = ""] }, io) => runAct("replay", text, config, io),
});

export const releaseCommand = defineCommand({
  name: "release",
  purpose: "Close the open breaker of a workload or a source, and check what it held",
  details: `A breaker opens when a workload rolls, or a source changes, again and again. Stop the cause first: otherwise it opens again.`,
  examples: [
    'fleet-reloader release Deployment/api --namespace shop --cluster nova --reason "the loop is stopped"',
    'fleet-reloader release Secret/db --namespace shop --reason "the operator is fixed" --yes',
  ],
  arguments: { placeholder: "KIND/NAME", mend: oneObject.mend, min: oneObject.min, max: oneObject.max },
  flags: actFlags,
  exitCodes: actExitCodes,
  run: ({ config, words: [text = ""] }, io) => runAct("release", text, config, io),
});

export const discardCommand = defineCommand({
  name: "discard",
  purpose: "Take failed rolls that are given up out of what failed, without a roll",
  details: `The pods stay as they are. The history says who discarded it and why. The next change of a source, and the slow audit, look at the
workload again as before. What a request still waits for is not given up, and is left out.`,
  examples: [
    'fleet-reloader discard Deployment/api --namespace shop --cluster nova --reason "the workload is retired"',
    'fleet-reloader discard --cause ProgressDeadlineExceeded --since 1d --reason "incident 4711" --expect 37',
  ],
  arguments: { placeholder: "KIND/NAME", mend: oneObject.mend, min: 0, max: 1 },
  flags: discardFlags,
  exitCodes: actExitCodes,
  run: ({ config, words: [text = ""] }, io) => runDiscard(text, config, io),
});
