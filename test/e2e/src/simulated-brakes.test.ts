import { afterAll, describe } from "vitest";
import { brakesTests } from "./scenarios/brakes.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe.concurrent("brakes, on the simulated API server", () => brakesTests(() => world));
