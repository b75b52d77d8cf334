import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { UnreadableReport } from "@fleet-reloader/engine/ports/reporter";
import { expect, test } from "vitest";
import { createKindBed, jobManifest, withObject } from "../../beds/kind-bed.ts";
import { silentReporter } from "../../beds/silent-reporter.ts";
import { createTestBed, type TestBedOptions } from "../../beds/test-bed.ts";

/** A Deployment whose annotation names ConfigMaps, on itself or on its pod template, among existing ones; and the reports about it. */
async function named(
  names: string,
  existing: readonly string[],
  {
    on = "workload",
    bed: options = {},
  }: { readonly on?: "workload" | "template"; readonly bed?: TestBedOptions } = {},
) {
  const reported: UnreadableReport[] = [];
  const reporter = silentReporter({ unreadable: (report) => reported.push(report) });
  const bed = createTestBed({ reporter, ...options });
  for (const name of existing) bed.cluster.setSource("ConfigMap", name, { a: "1" });
  const annotation = "configmap.reloader.stakater.com/reload";
  const annotations = { [annotation]: names };
  const { spec } = templateUsing({ "used.conf": {} });
  const placed =
    on === "workload"
      ? { template: { spec }, annotations }
      : { template: { spec, metadata: { annotations } } };
  const api = bed.cluster.setWorkload("api", placed);
  await bed.clock.advance(10_000);
  for (let observation = 0; observation < 3; observation += 1)
    await bed.reconcile(api, { purpose: "adoption" });
  return { annotation, bed, reported };
}

test.each([
  ["setings", "settings"],
  // It is the name of the volume.
  ["handover-jwt", "catalyst-handover-jwt-public"],
  // Each of these is also a regular expression.
  ["app.confg", "app.config"],
  ["My_Config", "my-config"],
])("the name %s of no source is reported once, with the likely name %s", async (name, meant) => {
  const { annotation, bed, reported } = await named(name, [meant]);
  expect(reported).toMatchObject([
    {
      reason: "NamedSourceMissing",
      problem: { annotation, value: name, mend: expect.stringContaining(`write ${meant}`) },
    },
  ]);
  expect(bed.log.text).toContain(`"nearest":"${meant}"`);
});

test.each(["setings", "app.confg"])("the wrong name %s is quoted from the pod template", async (name) => {
  const { reported } = await named(`first,${name}`, ["first"], { on: "template" });
  expect(reported).toMatchObject([{ reason: "NamedSourceMissing", problem: { value: `first,${name}` } }]);
});

test("a name with a dot is not reported if a source or a reference has it", async () => {
  const { reported } = await named("app.config,other.config,used.conf", ["app.config", "other-config"]);
  expect(reported).toEqual([]);
});

test("a name with a dot is not reported if its source exists and is not served", async () => {
  const { reported } = await named("app.config", ["app.config"], { bed: { sourceSelector: "reload=yes" } });
  expect(reported).toEqual([]);
});

test("a name with a dot is not reported for a Job that another object controls", async () => {
  const controlled = { ownerReferences: [{ kind: "CronJob", name: "report", uid: "u", controller: true }] };
  const job = (metadata: object) => {
    const annotations = { "configmap.reloader.stakater.com/reload": "app.confg" };
    return withObject("Job", jobManifest({ metadata: { annotations, ...metadata } }));
  };
  const reasons = async (metadata: object) => (await createKindBed(job(metadata))).log.text;
  expect(await reasons({})).toContain("NamedSourceMissing");
  expect(await reasons(controlled)).not.toContain("NamedSourceMissing");
});
