import { afterAll, describe } from "vitest";
import { servedTests } from "./scenarios/all.ts";
import { startRealWorld } from "./world.ts";

const world = await startRealWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on a real API server", () => servedTests(() => world));
