import { expect, test } from "vitest";
import type { LiveContent } from "../plan/observed-source.ts";
import { hasRunSince } from "./run-since.ts";

const applied = { appliedAtSeconds: 100 };
const written = (writtenAtSeconds: number, more: Partial<LiveContent> = {}) => ({
  live: {
    content: { data: new Map(), binaryData: new Map() },
    ...{ createdAtSeconds: 50, writtenAtSeconds, isModified: true, resourceVersion: "7", ...more },
  },
});

// The controller may run it early, by its own clock.
test.each([
  ["an hour later", 3800, true],
  ["more than two seconds later", 203, true],
  ["two seconds later", 202, false],
  ["in the same second", 200, false],
  ["before", 199, false],
])("a run that was due %s has read what was written: %s", (_, dueAtSeconds, isRead) => {
  expect(hasRunSince({ ...applied, dueAtSeconds }, [written(200)])).toBe(isRead);
});

test("a run has read all that changed before it, or not enough", () => {
  const run = { ...applied, dueAtSeconds: 300 };
  expect(hasRunSince(run, [written(200), written(250)])).toBe(true);
  expect(hasRunSince(run, [written(200), written(400)])).toBe(false);
});

test.each([
  ["keys were only removed", [written(99)]],
  ["it was written in the second of the applied state", [written(100)]],
  ["it is gone", [{ live: undefined }]],
  ["nothing shows it", [{ live: "unseen" as const }]],
  ["pods show it", [written(200, { asOfSeconds: 200 })]],
  ["there is nothing to read", []],
])("no run is known to have read what changed where %s", (_, changed) => {
  expect(hasRunSince({ ...applied, dueAtSeconds: 300 }, changed)).toBe(false);
});
