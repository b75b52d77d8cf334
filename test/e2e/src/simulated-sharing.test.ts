import process from "node:process";
import { describe } from "vitest";
import { flappingTests, sharingTests } from "./scenarios/sharing.ts";

/** Set, for example to 10, for the long one instead of the others. */
const minutes = Number(process.env.FLAPPING_MINUTES ?? "0");

describe.concurrent("watchers that share clusters, on simulated API servers", () => {
  if (minutes > 0) flappingTests(minutes);
  else sharingTests();
});
