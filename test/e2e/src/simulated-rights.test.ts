import { afterAll, describe } from "vitest";
import { rightsTests } from "./scenarios/rights.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on the simulated API server", () => rightsTests(() => world));
