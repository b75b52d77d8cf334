import { expect, test } from "vitest";
import { Drain } from "./drain.ts";

/** Lets all work run that waits for nothing from outside. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function startDrain({ atOnce = 100, isGathering = true } = {}) {
  const waiting: string[] = [];
  const flushed: string[] = [];
  let gathered = Promise.withResolvers<void>();
  let sent = Promise.withResolvers<void>();
  let atTheSameTime = 0;
  const drain = new Drain({
    hasMore: () => waiting.length > 0,
    ...(isGathering && {
      gather: async (hurry: AbortSignal) => {
        if (hurry.aborted) return;
        hurry.addEventListener("abort", () => gathered.resolve());
        await gathered.promise;
        gathered = Promise.withResolvers();
      },
    }),
    async flush() {
      flushed.push(waiting.splice(0, atOnce).join());
      atTheSameTime += 1;
      expect(atTheSameTime).toBe(1);
      await sent.promise;
      sent = Promise.withResolvers();
      atTheSameTime -= 1;
    },
  });
  return {
    drain,
    flushed,
    put(item: string) {
      waiting.push(item);
      drain.begin();
    },
    gathered() {
      gathered.resolve();
      return turn();
    },
    sent() {
      sent.resolve();
      return turn();
    },
  };
}

test("what comes while it gathers goes out in one flush", async () => {
  const { flushed, gathered, put } = startDrain();
  put("a");
  put("b");
  await turn();
  expect(flushed).toEqual([]);
  await gathered();
  expect(flushed).toEqual(["a,b"]);
});

test("what comes during a flush waits for the next one, and is gathered too", async () => {
  const { flushed, gathered, put, sent } = startDrain();
  put("a");
  await gathered();
  put("b");
  await sent();
  put("c");
  expect(flushed).toEqual(["a"]);
  await gathered();
  expect(flushed).toEqual(["a", "b,c"]);
});

test("it flushes until nothing waits, one flush at a time", async () => {
  const { flushed, put, sent } = startDrain({ atOnce: 1, isGathering: false });
  for (const item of ["a", "b", "c"]) put(item);
  for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
    expect(flushed).toEqual(expected);
    await sent();
  }
  expect(flushed).toHaveLength(3);
});

test("what comes after the last flush begins a new run", async () => {
  const { drain, flushed, put, sent } = startDrain({ isGathering: false });
  put("a");
  await sent();
  await drain.finish();
  put("b");
  expect(flushed).toEqual(["a", "b"]);
});

test("where nothing waits, nothing is flushed", async () => {
  const { drain, flushed } = startDrain({ isGathering: false });
  drain.begin();
  await drain.finish();
  expect(flushed).toEqual([]);
});

test("at the end nothing is waited for, and all that waits is flushed", async () => {
  const { drain, flushed, put, sent } = startDrain({ atOnce: 1 });
  put("a");
  put("b");
  const finished = drain.finish().then(() => flushed.push("finished"));
  await turn();
  expect(flushed).toEqual(["a"]);
  await sent();
  await sent();
  await finished;
  expect(flushed).toEqual(["a", "b", "finished"]);
});

test("a flush that rejects ends the run, and what comes later begins another", async () => {
  const flushed: string[] = [];
  let isBroken = true;
  const drain = new Drain({
    hasMore: () => flushed.length === 0,
    async flush() {
      await turn();
      if (isBroken) throw new Error("broken");
      flushed.push("sent");
    },
  });
  drain.begin();
  await expect(drain.finish()).rejects.toThrow("broken");
  isBroken = false;
  drain.begin();
  await drain.finish();
  expect(flushed).toEqual(["sent"]);
});
