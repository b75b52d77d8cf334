import { describe } from "vitest";
import { failingTests } from "./scenarios/failing.ts";

describe.concurrent("a cluster that fails for a while, on a simulated API server", () => failingTests());
