import { describe, expect, test } from "vitest";
import type { AppliedState } from "./applied-state.ts";
import { type AppliedEvidence, trustedState } from "./trusted-state.ts";

const uid = "uid-1";

function state(count: number, own: Partial<AppliedState> = {}): AppliedState {
  const said = { keyId: "k1", sources: new Map(), template: undefined, patterns: [], served: undefined };
  return { ...said, uid, count, ...own };
}

/** An applied state in an older format: without a count and without the uid of its workload. */
const ofBefore = state(0, { uid: undefined });

function evidence(known: Partial<AppliedEvidence>): AppliedEvidence {
  return { onWorkload: undefined, isOwn: true, remembered: undefined, uid, isDoubtful: false, ...known };
}

function trusted(known: Partial<AppliedEvidence>) {
  const { applied, isDamaged } = trustedState(evidence(known));
  return { applied, isDamaged };
}

const ofRoll = { template: { digest: "d", togetherUntilSeconds: 0 } };

describe("without a memory of Redis", () => {
  test("without an applied state there is nothing to compare with, and no damage", () => {
    expect(trusted({})).toEqual({ applied: undefined, isDamaged: false });
  });

  test.each([
    ["our note for this workload", state(3)],
    ["a note of before, which does not say for whom it is", ofBefore],
    ["our note on a Job, which says no workload since it is made anew", state(3, { uid: undefined })],
  ])("%s counts", (_, onWorkload) => {
    expect(trusted({ onWorkload })).toEqual({ applied: onWorkload, isDamaged: false });
    expect(trusted({ onWorkload, isDoubtful: true })).toEqual({ applied: onWorkload, isDamaged: false });
  });

  test("a state in an older format counts whoever is named as its writer", () => {
    expect(trusted({ onWorkload: ofBefore, isOwn: false })).toEqual({ applied: ofBefore, isDamaged: false });
  });

  test.each([
    ["that somebody else wrote", { onWorkload: state(3), isOwn: false }],
    ["that was copied from another workload", { onWorkload: state(3, { uid: "uid-2" }) }],
    ["of before that was written for another workload", { onWorkload: state(0, { uid: "uid-2" }) }],
  ])("an applied state %s is damaged, and nothing is known", (_, known) => {
    expect(trusted(known)).toEqual({ applied: undefined, isDamaged: true });
  });
});

describe("with an applied state that Redis remembers", () => {
  const remembered = state(5);

  test.each([
    ["the same", state(5)],
    ["a later one", state(6)],
  ])("the one on the workload counts when it is %s", (_, onWorkload) => {
    expect(trusted({ onWorkload, remembered })).toEqual({ applied: onWorkload, isDamaged: false });
  });

  test.each([
    ["is gone", { onWorkload: undefined }],
    ["is an earlier one", { onWorkload: state(4) }],
    ["is one of before", { onWorkload: ofBefore }],
    ["was written by somebody else", { onWorkload: state(6), isOwn: false }],
    ["is that of another workload", { onWorkload: state(6, { uid: "uid-2" }) }],
  ])("the remembered one counts when the one on the workload %s", (_, known) => {
    expect(trusted({ ...known, remembered })).toEqual({ applied: remembered, isDamaged: true });
  });

  // A state that a write of ours left and nobody has verified.
  test("in doubt a later applied state of a roll does not count before Redis knows it", () => {
    expect(trusted({ onWorkload: state(6, ofRoll), remembered, isDoubtful: true })).toEqual({
      applied: remembered,
      isDamaged: true,
    });
  });

  test("in doubt a later state without a roll counts: it is true by itself", () => {
    const onWorkload = state(6, { template: { digest: "d", togetherUntilSeconds: 1700 } });
    expect(trusted({ onWorkload, remembered, isDoubtful: true })).toEqual({
      applied: onWorkload,
      isDamaged: false,
    });
  });

  test("in doubt the same applied state counts: Redis confirms it", () => {
    const onWorkload = state(5);
    expect(trusted({ onWorkload, remembered, isDoubtful: true })).toEqual({
      applied: onWorkload,
      isDamaged: false,
    });
  });

  test("that was written for a workload of that name that is gone, it is no memory", () => {
    const other = state(9, { uid: "uid-0" });
    const onWorkload = state(1);
    expect(trusted({ onWorkload, remembered: other })).toEqual({ applied: onWorkload, isDamaged: false });
    expect(trusted({ remembered: other })).toEqual({ applied: undefined, isDamaged: false });
  });

  test("that does not name its workload, it counts, as for a recreated Job", () => {
    const old = state(5, { uid: undefined });
    expect(trusted({ remembered: old })).toEqual({ applied: old, isDamaged: true });
  });
});

describe("with the memory that no applied state counted", () => {
  test("in doubt the applied state of a roll does not count", () => {
    const known = { onWorkload: state(1, ofRoll), remembered: "none", isDoubtful: true } as const;
    expect(trusted(known)).toEqual({ applied: undefined, isDamaged: true });
  });

  test("without doubt, and for a state that came without a roll, it says nothing", () => {
    expect(trusted({ onWorkload: state(1, ofRoll), remembered: "none" })).toEqual({
      applied: state(1, ofRoll),
      isDamaged: false,
    });
    expect(trusted({ onWorkload: state(1), remembered: "none", isDoubtful: true })).toEqual({
      applied: state(1),
      isDamaged: false,
    });
  });
});

test("tells whether it is Redis that remembers what counts", () => {
  const remembered = state(5);
  const isRemembered = (known: Partial<AppliedEvidence>) => trustedState(evidence(known)).isRemembered;
  expect(isRemembered({ remembered })).toBe(true);
  expect(isRemembered({ onWorkload: state(1, ofRoll), remembered: "none", isDoubtful: true })).toBe(true);
  expect(isRemembered({ onWorkload: state(5), remembered })).toBe(false);
  expect(isRemembered({ onWorkload: state(5) })).toBe(false);
});
