import { type Work, workOf } from "@fleet-reloader/engine/admission/work";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { createWorkAnswer } from "./work-answer.ts";

const some: Work = workOf({ waiting: 1, prioritized: 2, active: 3, due: 5, held: 1 });

function startAnswer(count: () => Promise<Work> = async () => some) {
  const clock = new ManualClock();
  const notReady: string[] = [];
  let asked = 0;
  const tell = createWorkAnswer({
    clock,
    redisNotReady: () => notReady,
    count: () => {
      asked += 1;
      return count();
    },
  });
  return { clock, notReady, tell, asked: () => asked };
}

test("work is all that is due or soon is, without what is held", () => {
  expect(some.work).toBe(1 + 2 + 3 + 4);
  expect(workOf({ waiting: 0, prioritized: 0, active: 1, due: 0, held: 1 }).work).toBe(1);
});

test("Redis is asked twice a second at the most, however many ask", async () => {
  const { clock, tell, asked } = startAnswer();
  expect(await Promise.all([tell(), tell(), tell()])).toEqual([some, some, some]);
  await clock.advance(499);
  await tell();
  expect(asked()).toBe(1);
  await clock.advance(1);
  await tell();
  expect(asked()).toBe(2);
});

test("without Redis the answer is a refusal at once, and a count again when it is back", async () => {
  const { notReady, tell } = startAnswer();
  await tell();
  notReady.push("redis: reconnecting");
  await expect(tell()).rejects.toThrow("redis: reconnecting");
  notReady.pop();
  expect(await tell()).toEqual(some);
});

test("a Redis that swallows questions is refused in time", async () => {
  const { clock, tell } = startAnswer(() => new Promise(() => undefined));
  const answer = tell();
  const refused = expect(answer).rejects.toThrow("no answer within 2000 ms");
  await clock.advance(2000);
  await refused;
});
