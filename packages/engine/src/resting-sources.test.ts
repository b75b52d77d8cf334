import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { RestingSources } from "./resting-sources.ts";

test("rests that are over are not remembered: a fleet's would come to hundreds of megabytes", async () => {
  const clock = new ManualClock();
  const resting = new RestingSources({
    clock,
    log: new CollectedLog(),
    signal: new AbortController().signal,
    tell: async () => undefined,
  });
  for (let time = 0; time < 100; time += 1) {
    resting.rest({ kind: "ConfigMap", namespace: "ns", name: `app-${time}` }, 500);
    await clock.advance(100);
  }
  expect(resting.rests).toBe(5);
  await clock.advance(1000);
  resting.rest({ kind: "ConfigMap", namespace: "ns", name: "app-0" }, 0);
  expect(resting.rests).toBe(0);
});
