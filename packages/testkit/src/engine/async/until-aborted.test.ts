import { settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("it is over when the signal is aborted, and at once when it was before", async () => {
  const lifetime = new AbortController();
  let isOver = false;
  const waiting = untilAborted(lifetime.signal).then(() => {
    isOver = true;
  });
  await settled();
  expect(isOver).toBe(false);
  lifetime.abort();
  await waiting;
  await untilAborted(lifetime.signal);
});
