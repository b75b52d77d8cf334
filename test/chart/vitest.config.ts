import { defineConfig } from "vitest/config";

/** `real` needs a control plane and Helm, `simulated` neither. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
