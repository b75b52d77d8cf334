import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { SharedAnswers } from "./shared-answers.ts";

const staying = new AbortController().signal;

/** Answers on command, and counts the questions. */
function startSharing() {
  const clock = new ManualClock();
  const shared = new SharedAnswers<string>(clock);
  const begun: { readonly signal: AbortSignal; readonly end: (text: string) => void }[] = [];
  const make = (signal: AbortSignal): Promise<string> => {
    const { promise, reject, resolve } = Promise.withResolvers<string>();
    begun.push({ signal, end: resolve });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    return promise;
  };
  const ask = (question = "/changes", signal = staying) => shared.ask(question, make, signal);
  return { ask, begun, clock, shared };
}

test("a crowd that asks one question shares one answer", async () => {
  const { ask, begun, clock } = startSharing();
  const crowd = [ask(), ask()];
  await clock.advance(15);
  crowd.push(...Array.from({ length: 498 }, () => ask()));
  const other = ask("/held");
  await clock.advance(15);
  expect(begun.length).toBe(0);
  await clock.advance(15);
  expect(begun.length).toBe(2);
  begun[1]?.end("changes");
  begun[0]?.end("held");
  const answers = new Set([...(await Promise.all(crowd)), await other]);
  expect(answers).toEqual(new Set(["changes", "held"]));
});

test("a question that comes while an answer is made gets the next one", async () => {
  const { ask, begun, clock } = startSharing();
  const first = ask();
  await clock.advance(20);
  const later = [ask(), ask()];
  await clock.advance(1000);
  expect(begun.length).toBe(1);
  begun[0]?.end("old");
  expect(await first).toBe("old");
  await clock.advance(20);
  begun[1]?.end("new");
  expect([await Promise.all(later), begun.length]).toEqual([["new", "new"], 2]);
});

test("an answer begins although more and more ask", async () => {
  const { ask, begun, clock } = startSharing();
  const asked = [ask()];
  for (let ms = 0; ms < 100; ms += 20) {
    await clock.advance(10);
    asked.push(ask());
    await clock.advance(10);
  }
  expect(begun.length).toBe(1);
  begun[0]?.end("changes");
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["changes"]));
});

test.each([
  ["before it begins", 0],
  ["while it is made", 20],
])("an answer ends with the last who waits for it, %s", async (_, ms) => {
  const { ask, begun, clock } = startSharing();
  const [ann, bob] = [new AbortController(), new AbortController()];
  const outcomes = Promise.allSettled([ann, bob].map(({ signal }) => ask("/changes", signal)));
  await clock.advance(ms);
  ann.abort();
  expect(begun.map(({ signal }) => signal.aborted)).toEqual(ms === 0 ? [] : [false]);
  bob.abort();
  for (const { status } of await outcomes) expect(status).toBe("rejected");
  expect(begun.map(({ signal }) => signal.aborted)).toEqual(ms === 0 ? [] : [true]);
  // The next question does not wait for callers who have left.
  const next = ask();
  await clock.advance(20);
  begun.at(-1)?.end("new");
  expect(await next).toBe("new");
});

test("an answer that fails fails for those who asked for it, and the next is tried", async () => {
  const { ask, begun, clock, shared } = startSharing();
  const failed = expect(shared.ask("/changes", () => Promise.reject(new Error("away")), staying));
  const seen = failed.rejects.toThrow("away");
  await clock.advance(20);
  await seen;
  const next = ask();
  await clock.advance(20);
  begun[0]?.end("there");
  expect(await next).toBe("there");
});
