import { expect, test } from "vitest";
import { SharedCalls } from "./shared-calls.ts";

/** Calls that end when the test says so. Each answer contains the text of its question and the number of the call. */
function controlledCalls() {
  const sent: { readonly place: string; readonly asks: readonly string[] }[] = [];
  const open: { readonly end: (error?: Error) => void }[] = [];
  const calls = new SharedCalls<string, string>((place, asks) => {
    sent.push({ place, asks });
    const number = sent.length;
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    const end = (error?: Error) =>
      error === undefined ? resolve(asks.map((ask) => `${ask}${number}`)) : reject(error);
    open.push({ end });
    return promise;
  });
  const end = async (error?: Error) => {
    open.shift()?.end(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { calls, sent, end };
}

test("who asks alone is sent at once", async () => {
  const { calls, sent, end } = controlledCalls();
  const asked = calls.ask("a", "x");
  expect(sent).toEqual([{ place: "a", asks: ["x"] }]);
  await end();
  expect(await asked).toBe("x1");
});

test("who asks while a call is under way goes with the next, in order", async () => {
  const { calls, sent, end } = controlledCalls();
  const asked = ["x", "y", "z"].map((ask) => calls.ask("a", ask));
  await end();
  await end();
  expect(await Promise.all(asked)).toEqual(["x1", "y2", "z2"]);
  expect(sent.map(({ asks }) => asks)).toEqual([["x"], ["y", "z"]]);
});

test("places do not wait for each other", async () => {
  const { calls, sent } = controlledCalls();
  void calls.ask("a", "x");
  void calls.ask("b", "y");
  expect(sent.map(({ place }) => place)).toEqual(["a", "b"]);
});

test("a call takes no more than holds Redis up for a moment", async () => {
  const { calls, sent, end } = controlledCalls();
  const asked = Array.from({ length: 130 }, (_, at) => calls.ask("a", String(at)));
  for (let call = 0; call < 6; call += 1) await end();
  await Promise.all(asked);
  expect(sent.map(({ asks }) => asks.length)).toEqual([1, 32, 32, 32, 32, 1]);
});

test("a call that fails fails those who shared it, and nobody after them", async () => {
  const { calls, end } = controlledCalls();
  const first = calls.ask("a", "x");
  const shared = [calls.ask("a", "y"), calls.ask("a", "z")];
  await end();
  expect(await first).toBe("x1");
  const failed = Promise.allSettled(shared);
  await end(new Error("lost"));
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const later = calls.ask("a", "v");
  await end();
  expect(await later).toBe("v3");
});
