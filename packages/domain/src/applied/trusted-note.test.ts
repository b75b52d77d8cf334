import { describe, expect, test } from "vitest";
import type { AppliedState } from "./applied-state.ts";
import { type NoteEvidence, trustedNote } from "./trusted-note.ts";

const uid = "uid-1";

function note(count: number, own: Partial<AppliedState> = {}): AppliedState {
  const said = { keyId: "k1", sources: new Map(), template: undefined, patterns: [], served: undefined };
  return { ...said, uid, count, ...own };
}

/** A note of before: it does not count, and does not say for which workload it is. */
const ofBefore = note(0, { uid: undefined });

function evidence(known: Partial<NoteEvidence>): NoteEvidence {
  return { noted: undefined, isOwn: true, remembered: undefined, uid, isDoubtful: false, ...known };
}

function trusted(known: Partial<NoteEvidence>) {
  const { applied, isDamaged } = trustedNote(evidence(known));
  return { applied, isDamaged };
}

const ofRoll = { template: { digest: "d", togetherUntilSeconds: 0 } };

describe("without a memory of Redis", () => {
  test("there is nothing to compare with when there is no note, and nothing is damaged", () => {
    expect(trusted({})).toEqual({ applied: undefined, isDamaged: false });
  });

  test.each([
    ["our note for this workload", note(3)],
    ["a note of before, which does not say for whom it is", ofBefore],
    ["our note on a Job, which says no workload since it is made anew", note(3, { uid: undefined })],
  ])("%s counts", (_, noted) => {
    expect(trusted({ noted })).toEqual({ applied: noted, isDamaged: false });
    expect(trusted({ noted, isDoubtful: true })).toEqual({ applied: noted, isDamaged: false });
  });

  test("a note of before counts whoever is named as its writer", () => {
    expect(trusted({ noted: ofBefore, isOwn: false })).toEqual({ applied: ofBefore, isDamaged: false });
  });

  test.each([
    ["that somebody else wrote", { noted: note(3), isOwn: false }],
    ["that was copied from another workload", { noted: note(3, { uid: "uid-2" }) }],
    ["of before that was written for another workload", { noted: note(0, { uid: "uid-2" }) }],
  ])("a note %s is damaged, and nothing is known", (_, known) => {
    expect(trusted(known)).toEqual({ applied: undefined, isDamaged: true });
  });
});

describe("with a note that Redis remembers", () => {
  const remembered = note(5);

  test.each([
    ["the same", note(5)],
    ["a later one", note(6)],
  ])("the one on the workload counts when it is %s", (_, noted) => {
    expect(trusted({ noted, remembered })).toEqual({ applied: noted, isDamaged: false });
  });

  test.each([
    ["is gone", { noted: undefined }],
    ["is an earlier one", { noted: note(4) }],
    ["is one of before", { noted: ofBefore }],
    ["was written by somebody else", { noted: note(6), isOwn: false }],
    ["is that of another workload", { noted: note(6, { uid: "uid-2" }) }],
  ])("the remembered one counts when the one on the workload %s", (_, known) => {
    expect(trusted({ ...known, remembered })).toEqual({ applied: remembered, isDamaged: true });
  });

  // What a write of ours left that nobody has verified.
  test("in doubt a later note of a roll does not count before Redis knows it", () => {
    expect(trusted({ noted: note(6, ofRoll), remembered, isDoubtful: true })).toEqual({
      applied: remembered,
      isDamaged: true,
    });
  });

  test("in doubt a later note without a roll counts: it only says what pods carry", () => {
    const noted = note(6, { template: { digest: "d", togetherUntilSeconds: 1700 } });
    expect(trusted({ noted, remembered, isDoubtful: true })).toEqual({ applied: noted, isDamaged: false });
  });

  test("in doubt the same note counts: Redis confirms it", () => {
    const noted = note(5);
    expect(trusted({ noted, remembered, isDoubtful: true })).toEqual({ applied: noted, isDamaged: false });
  });

  test("that was written for a workload of that name that is gone, it is no memory", () => {
    const other = note(9, { uid: "uid-0" });
    const noted = note(1);
    expect(trusted({ noted, remembered: other })).toEqual({ applied: noted, isDamaged: false });
    expect(trusted({ remembered: other })).toEqual({ applied: undefined, isDamaged: false });
  });

  test("that does not name its workload, it counts, as for a recreated Job", () => {
    const old = note(5, { uid: undefined });
    expect(trusted({ remembered: old })).toEqual({ applied: old, isDamaged: true });
  });
});

describe("with the memory that no note counted", () => {
  test("in doubt the note of a roll does not count", () => {
    const known = { noted: note(1, ofRoll), remembered: "none", isDoubtful: true } as const;
    expect(trusted(known)).toEqual({ applied: undefined, isDamaged: true });
  });

  test("without doubt, and for a note that came without a roll, it says nothing", () => {
    expect(trusted({ noted: note(1, ofRoll), remembered: "none" })).toEqual({
      applied: note(1, ofRoll),
      isDamaged: false,
    });
    expect(trusted({ noted: note(1), remembered: "none", isDoubtful: true })).toEqual({
      applied: note(1),
      isDamaged: false,
    });
  });
});

test("tells whether it is Redis that remembers what counts", () => {
  const remembered = note(5);
  const isRemembered = (known: Partial<NoteEvidence>) => trustedNote(evidence(known)).isRemembered;
  expect(isRemembered({ remembered })).toBe(true);
  expect(isRemembered({ noted: note(1, ofRoll), remembered: "none", isDoubtful: true })).toBe(true);
  expect(isRemembered({ noted: note(5), remembered })).toBe(false);
  expect(isRemembered({ noted: note(5) })).toBe(false);
});
