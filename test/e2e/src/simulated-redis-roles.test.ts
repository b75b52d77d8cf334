import { describe } from "vitest";
import { redisRoleTests } from "./scenarios/redis-roles.ts";
import { redisRotationTests } from "./scenarios/redis-rotation.ts";

describe.concurrent("users of Redis for each role, on simulated API servers", () => {
  redisRoleTests();
  redisRotationTests();
});
