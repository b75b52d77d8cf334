import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes longest begins first, so that nothing runs alone at the end. Without this, vitest goes by the size of the files
 * where it has not run before, and that says nothing: they only name their scenarios.
 */
const order = [
  ...[
    "audit",
    "adversity",
    "carried",
    "isolation",
    "kinds",
    "brakes",
    "served",
    "rights",
    "sharing",
    "everyday",
  ],
  "registration",
  "pages",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      order.findIndex((name) => basename(moduleId).endsWith(`-${name}.test.ts`));
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/** `simulated` runs with every test; `real` on a real control plane. Both run the same scenarios. */
export default defineConfig({
  test: {
    include: ["src/*.test.ts"],
    setupFiles: ["src/begin-in-turn.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    pool: "forks",
    // As in the configuration at the root.
    isolate: false,
    experimental: { viteModuleRunner: false },
    maxConcurrency: 6,
    // Mostly they wait: for quiet, and for nothing to happen.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
});
