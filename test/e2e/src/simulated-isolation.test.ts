import { describe } from "vitest";
import { isolationTests } from "./scenarios/isolation.ts";

describe("on simulated API servers", () => isolationTests());
