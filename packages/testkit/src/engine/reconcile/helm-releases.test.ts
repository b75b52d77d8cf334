import { formatAppliedState, parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { describe, expect, test } from "vitest";
import { createTestBed, outcomeOf, stateAnnotation } from "../../beds/test-bed.ts";

const named = "secret.reloader.stakater.com/reload";
const release = { kind: "Secret", namespace: "ns", name: "sh.helm.release.v1.shop.v1" } as const;
const keys = testKeyring("k1");

/** A Deployment whose applied state names the Secret `db`, beside which there is a Secret of Helm. */
async function beside(
  annotations: Readonly<Record<string, string>>,
  { isReferenced, ...settings }: Partial<Settings> & { readonly isReferenced: boolean },
) {
  const bed = createTestBed({ settings, engagedAtSeconds: 0 });
  const { cluster } = bed;
  cluster.setSource("Secret", "db", { a: "1" });
  cluster.setSource("Secret", release.name, { release: "deployed" });
  await bed.clock.advance(10_000);
  const references = isReferenced ? { [release.name]: { kind: "Secret" } as const } : {};
  const template = templateUsing({ db: { kind: "Secret" }, ...references });
  const api = cluster.setWorkload("api", { template, annotations });
  const run = async () => outcomeOf(await bed.reconcile(api));
  const noted = () => {
    const text = cluster.workload(api)?.annotations[stateAnnotation];
    return parseAppliedState(text, keys);
  };
  await run();
  await bed.clock.advance(10_000);
  return { ...bed, api, run, noted };
}

describe.each([
  ["a pattern", { [named]: ".*" }, false],
  ["its name", { [named]: `db,${release.name}` }, false],
  ["a reference", { "reloader.stakater.com/auto": "true" }, true],
])("a Secret of Helm that %s leads to", (_, annotations, isReferenced) => {
  const settings = { isReferenced, reloadOnCreate: true, reloadOnDelete: true };

  test("is no source: an upgrade of its release rolls nothing", async () => {
    const { cluster, api, run, noted } = await beside(annotations, settings);
    expect([...(noted()?.sources.keys() ?? [])]).toEqual(["Secret/db"]);
    cluster.setSource("Secret", release.name, { release: "superseded" });
    cluster.setSource("Secret", "sh.helm.release.v1.shop.v2", { release: "deployed" });
    expect(await run()).toBe("unchanged");
    cluster.deleteSource(release);
    expect(await run()).toBe("unchanged");
    expect(cluster.rolls(api)).toEqual([]);
  });

  test.each(["rewritten", "deleted"])("rolls nothing when it was applied before and is %s", async (how) => {
    const { clock, cluster, api, run, noted } = await beside(annotations, settings);
    const applied = noted();
    const db = applied?.sources.get("Secret/db");
    if (applied === undefined || db === undefined) throw new Error("nothing is applied");
    const sources = new Map([...applied.sources, [`Secret/${release.name}`, db] as const]);
    const text = formatAppliedState({ ...applied, sources }, keys);
    cluster.setWorkload("api", { annotations: { [stateAnnotation]: text }, manager: fieldManager });
    await clock.advance(10_000);
    if (how === "deleted") cluster.deleteSource(release);
    else cluster.setSource("Secret", release.name, { release: "superseded" });
    expect(await run()).toBe("recorded");
    expect([...(noted()?.sources.keys() ?? [])]).toEqual(["Secret/db"]);
    expect(cluster.rolls(api)).toEqual([]);
  });
});

test("a ConfigMap is a source, whatever its name is", async () => {
  const annotations = { "configmap.reloader.stakater.com/reload": ".*" };
  const { cluster, run } = await beside(annotations, { isReferenced: false });
  cluster.setSource("ConfigMap", release.name, { a: "1" });
  expect(await run()).toBe("recorded");
  cluster.setSource("ConfigMap", release.name, { a: "2" });
  expect(await run()).toBe("rolled");
});
