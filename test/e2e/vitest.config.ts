import { defineConfig } from "vitest/config";

/** `simulated` runs with every test; `real` on a real control plane. Both run the same scenarios. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxConcurrency: 10,
    // Mostly they wait: for quiet, and for nothing to happen.
    maxWorkers: 3,
  },
});
