import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { expect, test } from "vitest";
import { ManualClock, settled } from "../../memory/manual-clock.ts";

function createBed() {
  const clock = new ManualClock();
  const semaphore = new Semaphore({ atOnce: 2, longestMs: 10_000, clock });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const lifetime = new AbortController();
  const ask = (name: string, signal = lifetime.signal) =>
    semaphore.take(signal).then((end) => {
      begun.push(name);
      ends.set(name, end);
    });
  return { clock, begun, ask, end: (name: string) => ends.get(name)?.() };
}

test("no more than so many have a turn at once, and the next is who asked first", async () => {
  const { begun, ask, end } = createBed();
  for (const name of ["a", "b", "c", "d"]) void ask(name);
  await settled();
  expect(begun).toEqual(["a", "b"]);
  end("b");
  end("b");
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("a turn lasts as long as its work, also when that fails after its caller has left", async () => {
  const semaphore = new Semaphore({ atOnce: 1, clock: new ManualClock() });
  const [left, lifetime] = [new AbortController(), new AbortController()];
  const { promise, reject } = Promise.withResolvers<never>();
  const failing = semaphore.during(left.signal, () => promise);
  const next = semaphore.during(lifetime.signal, async () => "done");
  await settled();
  left.abort();
  await settled();
  expect(semaphore.isFree).toBe(false);
  reject(new Error("broken"));
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("done");
  expect(semaphore.isFree).toBe(true);
});

test("whoever never ends holds up the others for a while only", async () => {
  const { clock, begun, ask } = createBed();
  for (const name of ["stuck", "stuck too", "c"]) void ask(name);
  await clock.advance(9_999);
  expect(begun).toEqual(["stuck", "stuck too"]);
  await clock.advance(1);
  expect(begun).toContain("c");
});

test("whoever leaves while waiting takes no turn", async () => {
  const { begun, ask, end } = createBed();
  const left = new AbortController();
  void ask("a");
  void ask("b");
  const leaving = ask("gone", left.signal);
  void ask("c");
  left.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  end("a");
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
});
