import type { AppliedSource } from "@fleet-reloader/domain/applied/applied-source";
import { isSameDigest } from "@fleet-reloader/domain/applied/packed-sources";
import type { RunningPods } from "@fleet-reloader/domain/evidence/pods-start";
import { localName } from "@fleet-reloader/domain/plan/observed-source";
import type { Plan, RollPlan } from "@fleet-reloader/domain/plan/plan";
import type { RolledFact } from "../../history/fact.ts";
import type { Settings } from "../../ports/settings.ts";
import { strategyOf } from "../prepare-roll.ts";
import type { Reading } from "../reading.ts";
import type { KnownPast } from "./known-past.ts";

/** The pods from before the roll, which started earlier than any change. The template already matches the live contents, so its pods show nothing. */
const podsOfBefore: RunningPods = { newest: { notBefore: 0, notAfter: 0 }, newestByNode: 0, each: [] };

/**
 * Finds a roll of an earlier attempt that landed and whose answer was lost. It is called when the template shows that nothing is left to
 * roll. Redis still holds the state from before that roll, which only a verified write replaces: from that state, the same contents make
 * the same roll. Undefined: there is none, or its contents have changed again since.
 */
export function landedRoll(
  past: KnownPast,
  planFrom: (past: KnownPast, pods: RunningPods) => Plan,
): RollPlan | undefined {
  const { unverified, ...before } = past;
  // The state on a Job has no UID: a Job is recreated in several steps, and another request may do the last of them.
  if (unverified?.uid === undefined) return undefined;
  const planned = planFrom({ ...before, isDamaged: false }, podsOfBefore);
  if (planned.type !== "roll") return undefined;
  const isOfTheseContents = planned.changed.every(({ source }) => {
    const name = localName(source);
    return saysTheSame(unverified.sources.get(name), planned.applied.sources.get(name));
  });
  return isOfTheseContents ? planned : undefined;
}

function saysTheSame(written: AppliedSource | undefined, planned: AppliedSource | undefined): boolean {
  if (written?.type !== "present" || planned?.type !== "present") return written?.type === planned?.type;
  return written.keyId === planned.keyId && isSameDigest(written.digest, planned.digest);
}

/** The fact to record of a landed roll, once no later attempt can find it. */
export function landedFact(
  { reading, observedSources }: { readonly reading: Reading } & Pick<RolledFact, "observedSources">,
  { changed }: RollPlan,
  settings: Settings,
): RolledFact {
  const { kind, live } = reading;
  const generation = kind.isTemplateRolled === true ? live.generation : undefined;
  const strategy = strategyOf(reading, settings);
  return { type: "rolled", uid: live.uid, generation, strategy, changed, observedSources };
}
