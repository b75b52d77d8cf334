import { settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { Suspicion } from "./suspicion.ts";

const forever = new AbortController().signal;

function setUp() {
  const suspicion = new Suspicion();
  const looks: PromiseWithResolvers<void>[] = [];
  suspicion.guard = {
    verify() {
      const look = Promise.withResolvers<void>();
      looks.push(look);
      return look.promise;
    },
    disturbed: () => undefined,
  };
  return { suspicion, looks };
}

test("one look serves all who wait for it", async () => {
  const { looks, suspicion } = setUp();
  suspicion.raise();
  const waiting = [suspicion.settled(forever), suspicion.settled(forever)];
  looks[0]?.resolve();
  await Promise.all(waiting);
  await suspicion.settled(forever);
  expect(looks).toHaveLength(1);
});

test("a disturbance while the guard verifies is verified, too, before any call", async () => {
  const { looks, suspicion } = setUp();
  suspicion.raise();
  let isSettled = false;
  const waiting = suspicion.settled(forever).then(() => {
    isSettled = true;
  });
  suspicion.disturbed();
  looks[0]?.resolve();
  await settled();
  expect([looks.length, isSettled]).toEqual([2, false]);
  looks[1]?.resolve();
  await waiting;
});

test("whoever is stopped does not wait for the guard", async () => {
  const { suspicion } = setUp();
  suspicion.raise();
  await expect(suspicion.settled(AbortSignal.abort())).rejects.toMatchObject({ code: "engine.aborted" });
});
