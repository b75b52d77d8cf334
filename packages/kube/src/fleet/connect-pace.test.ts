import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { type ConnectAttempts, ConnectPace } from "./connect-pace.ts";

function startMany(count: number): readonly ConnectAttempts[] {
  const pace = new ConnectPace({ clock: systemClock, random: () => 1 });
  return Array.from({ length: count }, () => pace.begin());
}

/** The pause after so many failures that it no longer grows. */
function lastPause(attempts: ConnectAttempts | undefined, isRefused = false): number {
  const pauses = Array.from({ length: 10 }, () => attempts?.pauseMs(isRefused) ?? 0);
  return pauses.at(-1) ?? 0;
}

test("a cluster that is away is tried every 5 s, and each of very many once a minute", () => {
  expect(lastPause(startMany(1)[0])).toBe(5500);
  expect(lastPause(startMany(20)[0])).toBe(20_500);
  expect(lastPause(startMany(500)[0])).toBe(60_500);
});

test("those that have connected do not delay the others", () => {
  const [first, ...others] = startMany(100);
  for (const other of others) other[Symbol.dispose]();
  expect(lastPause(first)).toBe(5500);
});

test("a cluster that refuses our credentials is asked about once a minute", () => {
  expect(lastPause(startMany(1)[0], true)).toBe(60_500);
});
