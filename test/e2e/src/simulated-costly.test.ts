import { describe } from "vitest";
import { costlyTests } from "./scenarios/costly.ts";

describe("on simulated API servers", () => costlyTests());
