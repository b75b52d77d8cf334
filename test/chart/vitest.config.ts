import { defineConfig } from "vitest/config";

/** `real` needs a control plane and Helm, `simulated` neither. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    // As in the configuration at the root.
    experimental: { viteModuleRunner: false },
    maxWorkers: 2,
  },
});
