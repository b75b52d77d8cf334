import { afterAll, describe } from "vitest";
import { kindTests } from "./scenarios/kinds.ts";
import { startRealWorld } from "./world.ts";

const world = await startRealWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on a real API server", () => kindTests(() => world));
