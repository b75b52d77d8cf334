import { defineConfig } from "vitest/config";

/** `vitest run --root test/conformance simulated`, or `real` for the same against a real control plane. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    // The real server takes seconds for a few checks: a version that is too large, a namespace's end.
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    pool: "forks",
    // As in the configuration at the root.
    experimental: { viteModuleRunner: false },
  },
});
