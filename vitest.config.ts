import { defineConfig } from "vitest/config";

/**
 * What is in packages keeps nothing in globals and takes free ports, so its files share two processes: a fork and all imports
 * for each of them would take longer than most of them do.
 */
const shared = ["packages/*/src/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    maxWorkers: 2,
    // A simulation of two million steps collects a tenth of its time in a young generation of the usual size.
    execArgv: ["--max-semi-space-size=32"],
    projects: [
      { extends: true, test: { name: "packages", include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["services/*/test/**/*.test.ts", "test/{repo,demo,bench}/src/**/*.test.ts"],
        },
      },
    ],
  },
});
