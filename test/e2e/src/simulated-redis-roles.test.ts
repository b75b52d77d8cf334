import { describe } from "vitest";
import { redisRoleTests } from "./scenarios/redis-roles.ts";

describe.concurrent("users of Redis for each role, on simulated API servers", () => redisRoleTests());
