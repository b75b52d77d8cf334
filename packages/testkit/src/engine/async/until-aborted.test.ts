import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { expect, test } from "vitest";
import { settled } from "../../memory/manual-clock.ts";

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
