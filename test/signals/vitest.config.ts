import { defineConfig } from "vitest/config";

/** All of it needs promtool and Prometheus, which are built once: `./dev test --real` runs it. */
export default defineConfig({
  test: {
    include: ["src/real-*.test.ts"],
    testTimeout: 600_000,
    // An empty cache of Go and a busy machine: the build takes some minutes, and says so.
    hookTimeout: 3_600_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
