import { defineConfig } from "vitest/config";

/** `vitest run --root test/page`. Needs the bundles, and Chromium on PATH: `./dev test` sees to both. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    // A busy machine draws a page in many times the time that a quiet one takes.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    pool: "forks",
    // As in the configuration at the root.
    isolate: false,
    experimental: { viteModuleRunner: false },
    // The fleet waits for a rollout to fail while the other file needs the machine.
    maxWorkers: 2,
  },
});
