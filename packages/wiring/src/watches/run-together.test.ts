import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { describe, expect, test } from "vitest";
import { runTogether } from "./run-together.ts";

/** A part that takes a moment to end when it is aborted. */
function endless() {
  const part = { hasEnded: false, run };
  async function run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    await new Promise(setImmediate);
    part.hasEnded = true;
  }
  return part;
}

describe("the parts of a work", () => {
  test("when one fails the others are ended before the failure is told", async () => {
    const other = endless();
    const fails = () => Promise.reject(new Error("broken"));
    await expect(runTogether(new AbortController().signal, [other.run, fails])).rejects.toThrow("broken");
    expect(other.hasEnded).toBe(true);
  });

  test("one that ends by itself is a failure, and ends the others", async () => {
    const other = endless();
    const ends = () => Promise.resolve();
    await expect(runTogether(new AbortController().signal, [ends, other.run])).rejects.toMatchObject({
      code: "engine.invariant",
      message: "a part of the work on a cluster ended by itself",
    });
    expect(other.hasEnded).toBe(true);
  });

  test("end with the signal, and that is no failure", async () => {
    const [one, other] = [endless(), endless()];
    const stop = new AbortController();
    const running = runTogether(stop.signal, [one.run, other.run]);
    stop.abort();
    await running;
    expect([one.hasEnded, other.hasEnded]).toEqual([true, true]);
  });
});
