import { afterAll, describe } from "vitest";
import { kindTests } from "./scenarios/kinds.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on the simulated API server", () => kindTests(() => world));
