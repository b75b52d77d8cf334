import process from "node:process";
import { describe } from "vitest";
import { isolationTests } from "./scenarios/isolation.ts";
import { registrationTests } from "./scenarios/registration.ts";
import { flappingTests, sharingTests } from "./scenarios/sharing.ts";

/** Set, for example to 10, for the long one instead of the others. */
const minutes = Number(process.env.FLAPPING_MINUTES ?? "0");

// Every test brings its own clusters, and most of its time is waiting: side by side.
describe.concurrent("on simulated API servers", () => {
  if (minutes > 0) return flappingTests(minutes);
  describe("one of several clusters", () => isolationTests());
  describe("watchers that share clusters", () => sharingTests());
  describe("clusters that come and go", () => registrationTests());
});
