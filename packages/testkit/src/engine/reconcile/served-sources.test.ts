import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { scope, serving } from "../../beds/served-namespaces.ts";
import { auto } from "../../beds/test-bed.ts";

describe("kinds that are not served", () => {
  test("are neither listed nor read, and references to them do not count", async () => {
    await using bed = await serving({ a: {} }, { sourceKinds: ["ConfigMap"] });
    bed.cluster.namespace = "a";
    bed.cluster.setSource("Secret", "tls", { a: "1" });
    bed.cluster.setWorkload("web", {
      template: templateUsing({ app: {}, tls: { kind: "Secret" } }),
      annotations: { ...auto, "secret.reloader.stakater.com/reload": "t.*" },
    });
    await bed.elapse(200);
    bed.cluster.setSource("Secret", "tls", { a: "2" });
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.cluster.rolls()).toHaveLength(2);
    expect(bed.cluster.calls.filter(({ target }) => target.startsWith("Secret"))).toEqual([]);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).not.toContain("Secret");
  });
});

describe("a label selector of sources", () => {
  test("decides what counts: losing the label is no deletion, regaining it compares", async () => {
    const sourceSelector = "reload=yes";
    const appearance = { reloadOnCreate: true, reloadOnDelete: true };
    await using bed = await serving(
      { a: {} },
      { ...scope({ sourceSelector }), ...appearance },
      { sourceSelector },
    );
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(0);
    const app = bed.set("a", "3");
    bed.cluster.labelSource(app, { reload: "yes" });
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(0);
    bed.set("a", "4");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(1);
    bed.cluster.labelSource(app, {});
    bed.set("a", "5");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(1);
    bed.cluster.labelSource(app, { reload: "yes" });
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(2);
  });
});

describe.each([
  ["ignore", auto, {}, { "reloader.stakater.com/ignore": "true" }],
  ["match", { "reloader.stakater.com/search": "true" }, { "reloader.stakater.com/match": "true" }, {}],
])("a source that its %s annotation keeps from counting", (_, annotations, counting, aside) => {
  async function watched() {
    const bed = await serving({}, {});
    bed.cluster.namespace = "a";
    const set = async (a: string, own: Readonly<Record<string, string>>) => {
      bed.cluster.setSource("ConfigMap", "app", { a }, own);
      await bed.elapse(60_000);
    };
    await set("1", counting);
    const template = templateUsing({ app: {} });
    const api = bed.cluster.setWorkload("api", { template, annotations });
    await bed.elapse(60_000);
    return { ...bed, set, rolled: () => bed.cluster.rolls(api).length };
  }

  test("rolls nothing when it counts again with the same content", async () => {
    await using bed = await watched();
    await bed.set("1", aside);
    await bed.set("1", counting);
    expect(bed.rolled()).toBe(0);
  });

  test("rolls nothing for a change meanwhile, and once when it counts again", async () => {
    await using bed = await watched();
    await bed.set("1", aside);
    await bed.set("2", aside);
    expect(bed.rolled()).toBe(0);
    await bed.set("2", counting);
    await bed.set("2", aside);
    await bed.set("2", counting);
    expect(bed.rolled()).toBe(1);
  });
});

describe("sources that come and go", () => {
  const both = { reloadOnCreate: true, reloadOnDelete: true };
  const ref = { kind: "ConfigMap", namespace: "a", name: "app" } as const;

  test("roll each time once, with the flags", async () => {
    await using bed = await serving({ a: {} }, both);
    bed.cluster.deleteSource(ref);
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(1);
    bed.set("a", "1");
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(2);
  });

  test("roll nothing without them", async () => {
    await using bed = await serving({ a: {} }, {});
    bed.cluster.deleteSource(ref);
    await bed.elapse(5000);
    bed.set("a", "1");
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(0);
  });

  test("are caught up with when they went while nothing ran", async () => {
    await using bed = await serving({ a: {} }, both);
    await bed.end();
    bed.cluster.deleteSource(ref);
    bed.begin();
    await bed.elapse(500);
    expect(bed.rolls("a")).toBe(1);
  });

  // Listed before anybody used it, so never handled: that the workload may carry it is recorded with the workload.
  test("are caught up with also when the workload came after them", async () => {
    await using bed = await serving({ a: {} }, both);
    bed.set("a", "1", "db");
    await bed.elapse(200);
    bed.cluster.setWorkload("web", { template: templateUsing({ db: {} }), annotations: auto });
    await bed.elapse(200);
    await bed.end();
    bed.cluster.deleteSource({ ...ref, name: "db" });
    bed.begin();
    await bed.elapse(500);
    expect(bed.cluster.rolls({ kind: "Deployment", namespace: "a", name: "web" })).toHaveLength(1);
  });
});

describe("a secret provider class", () => {
  const vault = { kind: "SecretProviderClass", namespace: "a", name: "vault" } as const;
  const settings = {
    sourceKinds: ["ConfigMap", "Secret", "SecretProviderClass"],
    reloadOnCreate: true,
    reloadOnDelete: true,
  } as const;
  const csi = { volumeAttributes: { secretProviderClass: "vault" } };
  const spec = { containers: [{ name: "main" }], volumes: [{ name: "v", csi }] };

  test("rolls for a newly shown version, not when none or an older pod's is shown", async () => {
    await using bed = await serving({ a: {} }, settings);
    const api = bed.cluster.setWorkload("api", { template: { spec }, annotations: auto });
    bed.cluster.showSource(vault, { key: "v1" }, 100);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(0);
    bed.cluster.showSource(vault, { key: "v2" }, 200);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(1);
    bed.cluster.showSource(vault, { key: "v1" }, 100);
    await bed.elapse(500);
    bed.cluster.showSource(vault, undefined, 0);
    await bed.elapse(500);
    bed.cluster.showSource(vault, { key: "v2" }, 300);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(1);
  });
});
