import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { UnreadableReport } from "@fleet-reloader/engine/ports/reporter";
import { expect, test } from "vitest";
import { silentReporter } from "../../beds/silent-reporter.ts";
import { auto, createTestBed } from "../../beds/test-bed.ts";

const misspelt = { "reloader.stakater.com/serach": "true" };

/** A Deployment that is looked at whenever it is written, and what is told of it. */
function startBed() {
  const told: UnreadableReport[] = [];
  const reporter = silentReporter({ unreadable: (report) => told.push(report) });
  const bed = createTestBed({ reporter });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  return {
    told,
    log: bed.log,
    async write(
      annotations: Readonly<Record<string, string | null>>,
      template = templateUsing({ app: {} }),
      looks = 1,
    ): Promise<void> {
      const api = bed.cluster.setWorkload("api", { template, annotations });
      await bed.clock.advance(10_000);
      for (let look = 0; look < looks; look += 1) await bed.reconcile(api, { purpose: "adoption" });
    },
    async change(value: string): Promise<void> {
      bed.cluster.setSource("ConfigMap", "app", { a: value });
      await bed.clock.advance(10_000);
      await bed.reconcile({ kind: "Deployment", namespace: "ns", name: "api" });
    },
  };
}

test("a mistake in a workload is reported once, with the rule and what to write", async () => {
  const bed = startBed();
  await bed.write({ ...auto, ...misspelt }, undefined, 3);
  await bed.change("2");
  expect(bed.told).toMatchObject([
    {
      reason: "LintFinding",
      rule: "annotation-unknown",
      problem: {
        annotation: "reloader.stakater.com/serach",
        mend: "write reloader.stakater.com/search if that is meant",
      },
    },
  ]);
  expect(bed.log.text).toContain('"reason":"LintFinding"');
});

test("a mistake that is mended and made again is reported again, and a new one alone", async () => {
  const bed = startBed();
  const rules = () => bed.told.splice(0).map(({ rule }) => rule);
  await bed.write({ ...auto, ...misspelt });
  expect(rules()).toEqual(["annotation-unknown"]);
  await bed.write({ ...auto, ...misspelt, "reloader.stakater.com/ignore": "true" });
  expect(rules()).toEqual(["annotation-misplaced"]);
  await bed.write({ "reloader.stakater.com/serach": null, "reloader.stakater.com/ignore": null });
  expect(rules()).toEqual([]);
  await bed.write({ ...auto, ...misspelt });
  expect(rules()).toEqual(["annotation-unknown"]);
});

test("of a workload that opts in to nothing no mistake is reported", async () => {
  const bed = startBed();
  await bed.write(misspelt);
  expect(bed.told).toEqual([]);
});

test("of the many mistakes of one workload five are reported at a time", async () => {
  const bed = startBed();
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`reloader.stakater.com/unknown-${at}`, "true"]),
  );
  await bed.write({ ...auto, ...many });
  expect(bed.told).toHaveLength(5);
});

test("an annotation that cannot be read is reported once for as long as it lasts", async () => {
  const bed = startBed();
  const values = () => bed.told.splice(0).map(({ problem: { value } }) => value);
  await bed.write({ ...auto, "fleet-reloader.io/debounce": "soon" }, undefined, 2);
  await bed.change("2");
  await bed.change("3");
  expect(values()).toEqual(["soon"]);
  expect(bed.log.text.split('"reason":"AnnotationUnreadable"')).toHaveLength(2);
  await bed.write({ ...auto, "fleet-reloader.io/debounce": "later" });
  expect(values()).toEqual(["later"]);
  await bed.write({ ...auto, "fleet-reloader.io/debounce": null });
  await bed.write({ ...auto, "fleet-reloader.io/debounce": "later" });
  expect(values()).toEqual(["later"]);
});
