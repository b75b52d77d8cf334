import { describe } from "vitest";
import { followTests } from "./scenarios/follow.ts";
import { registrationTests } from "./scenarios/registration.ts";

// Each brings clusters of its own.
describe.concurrent("clusters that come and go", () => registrationTests());
describe.concurrent("rollouts with pods", () => followTests());
