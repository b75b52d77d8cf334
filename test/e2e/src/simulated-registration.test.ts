import { describe } from "vitest";
import { registrationTests } from "./scenarios/registration.ts";

describe("clusters that come and go", () => registrationTests());
