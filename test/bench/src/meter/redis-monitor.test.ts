import { expect, it } from "vitest";
import { isOfClient } from "./redis-monitor.ts";

it.each([
  ['+1700000000.123456 [0 127.0.0.1:5000] "get" "x"', true],
  ['+1700000000.123456 [0 unix:/run/redis.sock] "get" "x"', true],
  ['+1700000000.123456 [0 lua] "hget" "x" "y"', false],
  ["+OK", false],
])("%s: of a client %s", (line, expected) => {
  expect(isOfClient(line)).toBe(expected);
});
