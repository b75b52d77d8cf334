import { afterAll, describe } from "vitest";
import { carriedTests } from "./scenarios/all.ts";
import { undoneTests } from "./scenarios/carried/undone.ts";
import { startRealWorld } from "./world.ts";

const world = await startRealWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on a real API server", () => {
  carriedTests(() => world);
  describe("templates that return", () => undoneTests(() => world));
});
