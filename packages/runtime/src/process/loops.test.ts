import { describe, expect, test } from "vitest";
import { Loops } from "./loops.ts";

describe("a loop of a service", () => {
  test.each([
    ["returns", () => Promise.resolve(), "the fleet ended by itself"],
    ["fails", () => Promise.reject(new Error("no memory")), "the fleet ended by itself: no memory"],
  ])("that %s before its time breaks the service, by its name", async (_, loop, message) => {
    const lifetime = new AbortController();
    const loops = new Loops(lifetime.signal);
    loops.add("the fleet", loop());
    await expect(loops.broken).rejects.toMatchObject({ code: "engine.invariant", message });
  });

  test("that ends with its lifetime breaks nothing", async () => {
    const lifetime = new AbortController();
    const loops = new Loops(lifetime.signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    loops.add("holds", promise);
    lifetime.abort();
    resolve();
    await loops.ended();
    const still = Symbol("still running");
    expect(await Promise.race([loops.broken, Promise.resolve(still)])).toBe(still);
  });
});
