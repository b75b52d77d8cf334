import { afterAll, describe } from "vitest";
import { everydayTests } from "./scenarios/all.ts";
import { rightsTests } from "./scenarios/rights.ts";
import { startRealWorld } from "./world.ts";

const world = await startRealWorld();
afterAll(() => world[Symbol.asyncDispose]());

describe("on a real API server", () => everydayTests(() => world));
// After the products that serve all namespaces have ended. A control plane of its own would take longer than the test.
describe("rights, on a real API server", () => rightsTests(() => world));
