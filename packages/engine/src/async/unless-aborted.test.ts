import { expect, test } from "vitest";
import { unlessAborted } from "./unless-aborted.ts";

const never = new Promise<never>(() => undefined);

test("what comes in time is the answer, and what fails is the failure", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), signal, "it")).toBe(7);
  await expect(unlessAborted(Promise.reject(new Error("no")), signal, "it")).rejects.toThrow("no");
});

test("whoever is stopped, or was before, does not wait on", async () => {
  const stop = new AbortController();
  const waiting = unlessAborted(never, stop.signal, "Redis");
  stop.abort();
  const stopped = { code: "engine.aborted", message: "stopped while waiting for Redis" };
  await expect(waiting).rejects.toMatchObject(stopped);
  await expect(unlessAborted(never, stop.signal, "Redis")).rejects.toMatchObject(stopped);
});
