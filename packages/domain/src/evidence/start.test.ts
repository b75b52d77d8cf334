import { describe, expect, test } from "vitest";
import { type InterestHistory, mayPrecede, startOfInterest, startWithoutState } from "./start.ts";

const optIn = "reloader.stakater.com/auto";
const templatePath = ["spec", "template"];

interface Written {
  readonly manager: string;
  readonly at: number;
  readonly optsIn?: boolean;
  readonly ownsTemplate?: boolean;
}

/** A workload with these writes in its managedFields. */
function writtenBy(...all: readonly Written[]): object {
  const managedFields = all.map(({ manager, at, optsIn, ownsTemplate }) => ({
    manager,
    time: new Date(at * 1000).toISOString(),
    fieldsV1: {
      ...(optsIn ? { "f:metadata": { "f:annotations": { [`f:${optIn}`]: {} } } } : {}),
      ...(ownsTemplate ? { "f:spec": { "f:template": {} } } : {}),
    },
  }));
  return { metadata: { managedFields } };
}

function history(known: Partial<InterestHistory> = {}): InterestHistory {
  return {
    ...{ seen: undefined, servedSinceSeconds: 100, isRestored: false, createdAtSeconds: 50 },
    ...{ optInAnnotations: [optIn], templatePath, object: {} },
    ...known,
  };
}

describe("without an applied state, changes count from", () => {
  test("the event that showed the workload, whatever else is known", () => {
    const seen = { atSeconds: 70, resourceVersion: "9" };
    expect(startWithoutState(history({ seen }))).toBe(seen);
  });

  test("the time we came, for a workload that was there before", () => {
    expect(startWithoutState(history())).toEqual({ atSeconds: 100 });
  });

  test("its making, for a workload that was made after we came", () => {
    expect(startWithoutState(history({ createdAtSeconds: 120 }))).toEqual({ atSeconds: 120 });
  });

  test("the opt-in, where somebody added it later", () => {
    const object = writtenBy(
      { manager: "helm", at: 120, ownsTemplate: true },
      { manager: "people", at: 300, optsIn: true },
    );
    expect(startWithoutState(history({ object }))).toEqual({ atSeconds: 300 });
    expect(startWithoutState(history({ object, isRestored: true }))).toEqual({ atSeconds: 300 });
  });

  test("the last write of the owner of opt-in and template, while Redis remembers all", () => {
    const object = writtenBy({ manager: "helm", at: 300, optsIn: true, ownsTemplate: true });
    expect(startWithoutState(history({ object }))).toEqual({ atSeconds: 300 });
  });

  // That write may have removed the applied state.
  test("before that write where Redis forgot, also when another owns the opt-in too", () => {
    const both = { manager: "helm", at: 300, optsIn: true, ownsTemplate: true };
    const other = { manager: "people", at: 310, optsIn: true };
    for (const object of [writtenBy(both), writtenBy(both, other)])
      expect(startWithoutState(history({ object, isRestored: true }))).toEqual({ atSeconds: 100 });
  });

  test("the time we came, where a flag opts in and no annotation does", () => {
    const object = writtenBy({ manager: "people", at: 300, optsIn: true });
    expect(startWithoutState(history({ object, optInAnnotations: [] }))).toEqual({ atSeconds: 100 });
  });

  test("the time we came, where the API server names nobody who opted in", () => {
    const object = writtenBy({ manager: "people", at: 300 });
    expect(startWithoutState(history({ object }))).toEqual({ atSeconds: 100 });
  });
});

describe("for a source that the applied state does not name yet, changes count from", () => {
  test("the event that showed the new interest", () => {
    const seen = { atSeconds: 70, resourceVersion: "9" };
    const object = writtenBy({ manager: "people", at: 300 });
    expect(startOfInterest(history({ seen, object }))).toBe(seen);
  });

  test("the last write of whoever owns the template or the opt-in, but for us", () => {
    const object = writtenBy(
      { manager: "helm", at: 200, ownsTemplate: true },
      { manager: "people", at: 300, optsIn: true },
      { manager: "Reloader", at: 400, optsIn: true },
      { manager: "kube-controller-manager", at: 500 },
    );
    expect(startOfInterest(history({ object }))).toEqual({ atSeconds: 300 });
  });

  test("the making, where nobody else is known to have written it", () => {
    const object = writtenBy({ manager: "Reloader", at: 400 });
    expect(startOfInterest(history({ object }))).toEqual({ atSeconds: 50 });
  });
});

describe("pods that started at the beginning or later", () => {
  const written = (writtenAtSeconds: number, resourceVersion = "10") => ({
    writtenAtSeconds,
    resourceVersion,
  });

  test.each([
    ["have a content that was written before it", { atSeconds: 100 }, written(99), false],
    ["may lack a content that was written after it", { atSeconds: 100 }, written(101), true],
    ["have a content of the same second where nobody watched", { atSeconds: 100 }, written(100), false],
    [
      "may lack a content of the same second with a later version",
      { atSeconds: 100, resourceVersion: "9" },
      written(100),
      true,
    ],
    [
      "have a content of the same second with an earlier version",
      { atSeconds: 100, resourceVersion: "11" },
      written(100),
      false,
    ],
    [
      "have a content of an earlier second, whatever its version",
      { atSeconds: 100, resourceVersion: "9" },
      written(99),
      false,
    ],
    [
      "may lack a content of a later second, whatever its version",
      { atSeconds: 100, resourceVersion: "11" },
      written(101),
      true,
    ],
  ])("%s", (_, start, content, expected) => {
    expect(mayPrecede(start, content)).toBe(expected);
  });
});
