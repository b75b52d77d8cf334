import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { isWorthReporting, type Reporter, reportToEach } from "@fleet-reloader/engine/ports/reporter";
import { describe, expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";
import { CollectedLog } from "../../memory/collected-log.ts";

/** Keeps what it is told. */
function listening() {
  const told: { readonly what: string; readonly report: object }[] = [];
  const reporter: Reporter = {
    rolled: (report) => told.push({ what: "rolled", report }),
    failed: (report) => told.push({ what: "failed", report }),
    ended: (report) => told.push({ what: "ended", report }),
    unreadable: (report) => told.push({ what: "unreadable", report }),
    held: (report) => told.push({ what: "held", report }),
  };
  return { told, reporter };
}

async function adopted(before?: () => void) {
  const { told, reporter } = listening();
  const bed = createTestBed({ reporter, ...(before === undefined ? {} : { before }) });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const template = templateUsing({ app: {} });
  const api = bed.cluster.setWorkload("api", { template, annotations: auto });
  await bed.clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  return { ...bed, told, api };
}

describe("what a reconcile tells", () => {
  // Before it hurts: each of them is read whenever one changes, and named on the workload.
  test("a pattern that matches very many names, with their number", async () => {
    const { told, reporter } = listening();
    const bed = createTestBed({ reporter });
    for (let each = 0; each < 501; each += 1) bed.cluster.setSource("ConfigMap", `app-${each}`, { a: "1" });
    const annotations = { "configmap.reloader.stakater.com/reload": "app-.*" };
    const api = bed.cluster.setWorkload("api", { template: templateUsing({}), annotations });
    await bed.reconcile(api, { purpose: "adoption" });
    expect(told).toMatchObject([
      {
        what: "unreadable",
        report: { problem: { value: "app-.*", problem: expect.stringMatching(/^matches 501 sources/) } },
      },
    ]);
    told.length = 0;
    const few = bed.cluster.setWorkload("few", {
      template: templateUsing({}),
      annotations: { "configmap.reloader.stakater.com/reload": "app-4.*" },
    });
    await bed.reconcile(few, { purpose: "adoption" });
    expect(told).toEqual([]);
  });

  // They are read one by one: where no pattern of the kind is written there may only be a right to read by name.
  test("very many names in full, also of sources that are missing, with their number", async () => {
    const { told, reporter } = listening();
    const bed = createTestBed({ reporter });
    const names = Array.from({ length: 501 }, (_, at) => `app-${at}`);
    for (const name of names.slice(2)) bed.cluster.setSource("Secret", name, { a: "1" });
    const naming = (few: readonly string[]) => ({ "secret.reloader.stakater.com/reload": few.join() });
    const template = templateUsing({});
    const api = bed.cluster.setWorkload("api", { template, annotations: naming(names) });
    await bed.reconcile(api, { purpose: "adoption" });
    const of = (what: string) => told.filter((one) => one.what === what);
    const problem = expect.stringMatching(/^names 501 sources/);
    expect(of("unreadable")).toContainEqual({
      what: "unreadable",
      report: expect.objectContaining({ problem: expect.objectContaining({ problem }) }),
    });
    told.length = 0;
    const few = bed.cluster.setWorkload("few", { template, annotations: naming(names.slice(2)) });
    await bed.reconcile(few, { purpose: "adoption" });
    expect(told).toEqual([]);
  });

  test("a roll: where, what, which sources and why, and nothing of their content", async () => {
    const { told, cluster, api, reconcile } = await adopted();
    expect(told).toEqual([]);
    cluster.setSource("ConfigMap", "app", { a: "hunter2" });
    await reconcile(api);
    await reconcile(api);
    expect(told).toEqual([
      {
        what: "rolled",
        report: {
          cluster: "c1",
          clusterName: "c1",
          workload: api,
          uid: cluster.workload(api)?.uid,
          atMs: expect.any(Number),
          strategy: "annotations",
          sources: [{ kind: "ConfigMap", namespace: "ns", name: "app", reason: "SourceChanged" }],
        },
      },
    ]);
  });

  // An adoption that is tried again takes up the changes that come meanwhile.
  test.each(["change", "adoption"] as const)(
    "a failure that the next attempt will not mend, at a %s",
    async (purpose) => {
      let isRefused = false;
      const bed = await adopted(() => {
        if (isRefused) throw new Fault("kube.forbidden", "may not");
      });
      isRefused = true;
      expect(bed.told).toEqual([]);
      await expect(bed.reconcile(bed.api, { purpose })).rejects.toThrow();
      const report = { workload: bed.api, code: "kube.forbidden", message: "may not" };
      expect(bed.told).toMatchObject([{ what: "failed", report }]);
    },
  );

  test("an unreadable annotation", async () => {
    const { told, cluster, api, reconcile } = await adopted();
    cluster.setWorkload("api", { annotations: { "fleet-reloader.io/debounce": "soon" } });
    await reconcile(api);
    const problem = { annotation: "fleet-reloader.io/debounce", value: "soon" };
    expect(told).toMatchObject([{ what: "unreadable", report: { workload: api, problem } }]);
  });
});

test.each<[FaultCode, number, boolean]>([
  ["engine.write-rewritten", 0, true],
  // Not at each retry; but a request that failed in another way at first is told of, too.
  ["engine.write-rewritten", 1, false],
  ["engine.write-rewritten", 2, false],
  ["engine.write-rewritten", 4, true],
  ["engine.write-rewritten", 5, false],
  ["engine.write-rewritten", 31, false],
  ["engine.write-rewritten", 32, true],
  ["kube.forbidden", 0, true],
  ["kube.rejected", 0, true],
  ["kube.server-error", 0, false],
  ["kube.server-error", 4, true],
  ["kube.conflict", 0, false],
  ["kube.unreachable", 9, false],
  ["kube.throttled", 9, false],
  ["engine.aborted", 9, false],
])("people hear of %s after %i attempts: %s", (code, attemptsMade, isTold) => {
  expect(isWorthReporting(new Fault(code, "x"), attemptsMade)).toBe(isTold);
});

test("a reporter that throws is named in the log, and the others are told", () => {
  const log = new CollectedLog();
  const { told, reporter } = listening();
  const throwing = () => {
    throw new Error("full");
  };
  const broken: Reporter = {
    rolled: throwing,
    failed: throwing,
    ended: throwing,
    unreadable: throwing,
    held: throwing,
  };
  const reportHead = {
    cluster: "c1",
    clusterName: "one",
    workload: { kind: "D", namespace: "n", name: "a" },
    atMs: 0,
  };
  const failure = { code: "kube.rejected", message: "no", changedKinds: [] } as const;
  reportToEach([broken, reporter], log).failed({ ...reportHead, ...failure });
  expect(told).toHaveLength(1);
  expect(log.messages("error")).toEqual(["a reporter has thrown"]);
});
