import { afterAll, describe } from "vitest";
import { promptnessTests } from "./scenarios/promptness.ts";
import { startSimulatedWorld } from "./world.ts";

const world = await startSimulatedWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("promptness, on the simulated API server", () => promptnessTests(() => world));
