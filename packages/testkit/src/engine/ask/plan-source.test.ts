import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { missingWorkload } from "@fleet-reloader/engine/ask/ask-each-cluster";
import { sourcePlanText } from "@fleet-reloader/engine/ask/source-plan-text";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { describe, expect, test } from "vitest";
import { askingOf } from "../../beds/asked-bed.ts";
import { auto, createTestBed } from "../../beds/test-bed.ts";
import { compileBusy, withTurns } from "../../busy-patterns.ts";
import { wallClock } from "../../wall-clock.ts";

/** A volume with all keys of the ConfigMap, and how the container mounts it. */
function mounting(name: string, mount: object = {}) {
  return {
    spec: {
      containers: [
        { name: "main", image: "app:1", volumeMounts: [{ name: "v", mountPath: "/etc/v", ...mount }] },
      ],
      volumes: [{ name: "v", configMap: { name } }],
    },
  };
}

/** Workloads that use one ConfigMap in every way. */
async function usersBed() {
  const bed = createTestBed();
  bed.cluster.setSource("ConfigMap", "app", { a: "1", b: "1" });
  bed.cluster.setSource("ConfigMap", "other", { a: "1" });
  const make = (name: string, template: unknown, annotations: Readonly<Record<string, string>>) =>
    bed.cluster.setWorkload(name, { template, annotations });
  const named = { "configmap.reloader.stakater.com/reload": "app" };
  const all = [
    make("all-keys", templateUsing({ app: {} }), auto),
    make("frozen", templateUsing({ app: {} }), { ...auto, "fleet-reloader.io/freeze": "audit" }),
    make("key-b", templateUsing({ app: { keys: ["b"] } }), auto),
    make("mounts", mounting("app"), {}),
    make("mounts-one-file", mounting("app", { subPath: "a" }), {}),
    make("names-it", templateUsing({}), named),
    make("not-opted-in", templateUsing({ app: {} }), {}),
    make("uses-another", templateUsing({ other: {} }), auto),
  ];
  await bed.clock.advance(10_000);
  for (const workload of all) await bed.reconcile(workload, { purpose: "adoption" });
  await bed.clock.advance(60_000);
  return { ...bed, ...askingOf(bed) };
}

describe("plan says of a source", () => {
  test("who rolls for one key, who is held, and how the others get the content", async () => {
    const bed = await usersBed();
    const { users } = await bed.plan("app", ["a"]);
    expect(
      users.map(({ workload, verdict, isCause, reach }) => [workload.name, verdict.type, isCause, reach]),
    ).toEqual([
      ["all-keys", "roll", true, "restart"],
      ["frozen", "held", true, "restart"],
      ["key-b", "stays", false, "none"],
      ["mounts", "stays", false, "files"],
      ["mounts-one-file", "stays", false, "restart"],
      ["names-it", "roll", true, "none"],
      ["not-opted-in", "stays", false, "restart"],
    ]);
  });

  test("that it does not exist, with the likely name", async () => {
    const bed = await usersBed();
    const plan = await bed.plan("appp");
    expect(plan).toMatchObject({ state: "missing", nearest: "app", users: [] });
  });

  test("which of the asked keys it does not have, with the likely name", async () => {
    const bed = await usersBed();
    bed.cluster.setSource("ConfigMap", "other", { "log-level": "1" });
    const plan = await bed.plan("other", ["log-levl", "log-level", "zone"]);
    expect(plan.absentKeys).toEqual([{ name: "log-levl", nearest: "log-level" }, { name: "zone" }]);
    expect(sourcePlanText(plan)).toContain(
      "If its keys log-levl, log-level, zone changed now:\nIt has no key log-levl; did you mean log-level?\nIt has no key zone: as if it were added.\n",
    );
    expect(await bed.plan("other", ["log-level"])).not.toHaveProperty("absentKeys");
    expect(await bed.plan("others", ["zone"])).not.toHaveProperty("absentKeys");
  });

  test("the same in a text that was agreed on", async () => {
    const bed = await usersBed();
    await expect(sourcePlanText(await bed.plan("app", ["a"]))).toMatchFileSnapshot("./__golden__/plan.txt");
  });
});

describe("plan gives the reason of the asked source", () => {
  const exclude = "configmaps.exclude.reloader.stakater.com/reload";
  const named = "configmap.reloader.stakater.com/reload";
  const ignored = { "reloader.stakater.com/ignore": "true" };

  test.each([
    ["where no source counts", { ...auto, [exclude]: "b" }, { a: {}, b: {} }, "SourceExcluded"],
    [
      "where an annotation names and another excludes it",
      { [named]: "b", [exclude]: "b" },
      {},
      "SourceExcluded",
    ],
    ["where a pattern and the workload disagree", { [named]: "b.*", [exclude]: "b" }, {}, "SourceExcluded"],
    ["where no annotation asks for it", {}, { a: {}, b: {} }, "NotOptedIn"],
  ])("%s", async (_, annotations, used, reason) => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "a", { a: "1" }, ignored);
    bed.cluster.setSource("ConfigMap", "b", { a: "1" });
    bed.cluster.setWorkload("api", { template: templateUsing(used), annotations });
    const plan = await askingOf(bed).plan("b");
    expect(plan.users).toMatchObject([{ reason, isCause: false, verdict: { type: "stays" } }]);
    expect(sourcePlanText(plan)).toContain(`  Deployment/api: ${reason}. `);
  });

  test.each(["b", "b.*"])("where it is ignored and %s names it", async (item) => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "b", { a: "1" }, ignored);
    bed.cluster.setWorkload("api", { template: templateUsing({}), annotations: { [named]: item } });
    const plan = await askingOf(bed).plan("b");
    expect(plan.users).toMatchObject([{ reason: "SourceIgnored" }]);
    expect(sourcePlanText(plan)).toContain("  Deployment/api: SourceIgnored. ");
  });
});

test("a missing workload is told from one of another kind and from a misspelt one", async () => {
  const bed = await usersBed();
  bed.cluster.setNamespace("ns", {});
  const context = { settings: bed.settings, signal: new AbortController().signal };
  const ask = (kind: string, name: string, namespace = "ns") =>
    missingWorkload({ kind, namespace, name }, bed.asked, context);
  const none = "there is none in namespace ns of cluster nova";
  expect(await ask("StatefulSet", "mounts")).toBe(`${none}; there is Deployment/mounts`);
  expect(await ask("Deployment", "mount")).toBe(`${none}; did you mean Deployment/mounts?`);
  expect(await ask("Deployment", "x", "nowhere")).toBe("there is no namespace nowhere in cluster nova");
});

// One question of one viewer kept a dashboard from all others.
test("others have their turn while a plan asks many patterns", async () => {
  const bed = createTestBed();
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  for (let at = 0; at < 60; at += 1)
    bed.cluster.setWorkload(`w${at}`, {
      template: templateUsing({}),
      annotations: { "configmap.reloader.stakater.com/reload": at === 59 ? "last.*" : `a${at}.*` },
    });
  const names = new NameMatches({ compile: compileBusy, clock: wallClock });
  const { result, turns } = await withTurns(askingOf(bed, { names }).plan("app"));
  expect(result.users.map(({ workload }) => workload.name)).toEqual(["w59"]);
  // 120 ms of work in slices of about 6 ms. Reads of the cluster give others fewer turns than that.
  expect(turns).toBeGreaterThan(10);
});
