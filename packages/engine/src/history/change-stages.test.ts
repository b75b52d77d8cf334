import { expect, test } from "vitest";
import { stagesOfRoll } from "./change-stages.ts";

const source = { kind: "ConfigMap", namespace: "ns", name: "app" } as const;
const changed = [{ source, mode: "auto", mark: "v1:k1:mark", reason: "SourceChanged" }] as const;
const times = { seenAtMs: 11_500, takenAtMs: 13_500 };

/** The source as it was written at this time. */
function writtenAt(atSeconds: number | undefined) {
  const by = { manager: "kubectl", operation: "Update", atSeconds: atSeconds ?? 0 };
  const write = atSeconds === undefined ? { resourceVersion: "7" } : { resourceVersion: "7", by };
  return [{ ref: source, live: { mark: "v1:k1:mark", write } }] as never;
}

test("a change takes its time from the write to the watch, to the worker, to the patch", () => {
  expect(stagesOfRoll({ changed, observedSources: writtenAt(11) }, times, 13_600)).toEqual([
    { stage: "seen", seconds: 0.5 },
    { stage: "taken", seconds: 2 },
    { stage: "patched", seconds: 0.1 },
  ]);
});

test.each([[undefined], [12]])("a write at %s tells nothing of the time to the watch", (atSeconds) => {
  const stages = stagesOfRoll({ changed, observedSources: writtenAt(atSeconds) }, times, 13_600);
  expect(stages.map(({ stage }) => stage)).toEqual(["taken", "patched"]);
});

test("a source that did not cause the roll is not measured", () => {
  const other = [{ ...changed[0], source: { ...source, name: "other" } }];
  const stages = stagesOfRoll({ changed: other, observedSources: writtenAt(11) }, times, 13_600);
  expect(stages.map(({ stage }) => stage)).toEqual(["taken", "patched"]);
});

test("no stage takes less than no time, whatever the clocks say", () => {
  const stages = stagesOfRoll({ changed, observedSources: writtenAt(11) }, times, 13_000);
  expect(stages.at(-1)).toEqual({ stage: "patched", seconds: 0 });
});
