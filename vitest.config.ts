import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes longest begins first, so that nothing runs alone at the end. Without this, vitest goes by the size of the files
 * where it has not run before, and that says nothing: simulations only name their seeds.
 */
const longest = [
  ...[
    "simulation.test.ts",
    "bull-queue.test.ts",
    "simulation-more-seeds.test.ts",
    "simulation-mutants.test.ts",
  ],
  ...[
    "bull-queue-cluster.test.ts",
    "queue-roles.test.ts",
    "redis-ownership.test.ts",
    "start-dashboard.test.ts",
  ],
  ...["client.test.ts", "skewed-clocks.test.ts", "lost-worker.test.ts"],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(basename(moduleId));
      return at === -1 ? longest.length : at;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/**
 * They keep nothing in globals and take free ports, so the files share a few processes: a fork and all imports for each of them
 * would take longer than most of them do. The tests of the queue mostly wait, so there is one process more than cores.
 */
const quick = [
  "packages/*/src/**/*.test.ts",
  "services/*/test/**/*.test.ts",
  "test/{repo,demo,bench}/src/**/*.test.ts",
];

/** A simulation is CPU and nothing else. */
const simulated = ["packages/testkit/src/simulation/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Node imports tests as it imports the product. vitest's own imports transform each file, and look up each imported name each time it is
    // used, which takes a fifth more. No module is mocked.
    experimental: { viteModuleRunner: false },
    // A simulation of two million steps collects a tenth of its time in a young generation of the usual size.
    execArgv: ["--max-semi-space-size=32"],
    projects: [
      { extends: true, test: { name: "quick", include: quick, exclude: simulated, isolate: false } },
      { extends: true, test: { name: "simulation", include: simulated } },
    ],
  },
});
