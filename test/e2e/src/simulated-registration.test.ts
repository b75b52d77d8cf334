import { describe } from "vitest";
import { auditEventTests } from "./scenarios/audit-events.ts";
import { followTests } from "./scenarios/follow.ts";
import { registrationTests } from "./scenarios/registration.ts";

// Each brings clusters of its own.
describe.concurrent("clusters that come and go", () => registrationTests());
describe.concurrent("clusters that report their writes", () => auditEventTests());
describe.concurrent("rollouts with pods", () => followTests());
