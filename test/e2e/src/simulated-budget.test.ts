import { afterAll, describe } from "vitest";
import { budgetPaceTests } from "./scenarios/budget-pace.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("a budget, on the simulated API server", () => budgetPaceTests(() => world));
