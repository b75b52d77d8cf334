import { afterAll, describe } from "vitest";
import { carriedTests } from "./scenarios/all.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on the simulated API server", () => carriedTests(() => world));
