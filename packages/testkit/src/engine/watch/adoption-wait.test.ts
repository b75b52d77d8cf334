import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto } from "../../beds/test-bed.ts";
import { watching } from "../../beds/watched-cluster.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";

describe("a watcher that is in sync", () => {
  test("is adopted once workers have reconciled every workload, and reports progress", async () => {
    await using bed = await watching();
    expect([bed.watcher.isInSync, bed.watcher.isAdopted]).toEqual([true, false]);
    expect(bed.watcher.adoption).toBe("0 of 1 workloads observed");
    expect(bed.meter.count("unlooked c1")).toBe(1);
    await bed.clock.advance(60_000);
    expect(bed.watcher.isAdopted).toBe(false);

    await bed.elapse(1000);
    expect([bed.watcher.isInSync, bed.watcher.isAdopted]).toEqual([true, true]);
    expect(bed.watcher.adoption).toBe("1 of 1 workloads observed");
    expect(bed.meter.sentences).toContain("unlooked c1");
    expect(bed.meter.count("unlooked c1")).toBe(0);
    const lines = bed.log.lines.filter(({ message }) => message === "workloads adopted");
    expect(lines).toEqual([
      { level: "info", message: "workloads adopted", fields: { count: 1, durationMs: 60_250 } },
    ]);
  });

  test("tells thousands with a comma, and the largest count is all there were", async () => {
    await using bed = await watching();
    const names = Array.from({ length: 2799 }, (_, i) => `many-${i}`);
    for (const name of names)
      bed.cluster.setWorkload(name, { template: templateUsing({ app: {} }), annotations: auto });
    await bed.clock.advance(1000);
    expect(bed.watcher.adoption).toBe("0 of 2,800 workloads observed");
    for (const name of names.slice(0, 1200))
      bed.records.reconciled({ cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name } });
    await bed.clock.advance(250);
    expect(bed.watcher.adoption).toBe("1,200 of 2,800 workloads observed");
  });

  test("stays adopted when new workloads come, which are adopted on the way", async () => {
    await using bed = await watching();
    await bed.elapse(1000);
    bed.cluster.setWorkload("web", { template: templateUsing({ app: {} }), annotations: auto });
    await bed.clock.advance(1000);
    expect(await bed.index.unreconciled()).toBe(1);
    expect(bed.watcher.isAdopted).toBe(true);
  });

  test("has adopted at once what a watcher before it found and workers have looked at", async () => {
    const bed = await watching();
    await bed.elapse(1000);
    bed.stop();
    await bed.running;
    const again = bed.watch();
    await bed.clock.advance(0);
    expect(again.watcher.isAdopted).toBe(true);
    await again.end();
  });

  test("takes a count that cannot be had for none", async () => {
    let isDown = true;
    await using bed = await watching({
      beforeIndex: (call) => {
        if (call === "unreconciled" && isDown) throw new Error("Redis is down");
      },
    });
    await bed.elapse(1000);
    expect([bed.watcher.isInSync, bed.watcher.isAdopted]).toEqual([true, false]);
    expect(bed.watcher.adoption).toBe("workloads are not counted yet");
    isDown = false;
    await bed.elapse(1000);
    expect(bed.watcher.isAdopted).toBe(true);
  });

  test("waits anew when Redis has lost what it knew", async () => {
    await using bed = await watching();
    await bed.elapse(1000);
    bed.index.wipe();
    bed.queue.wipe();
    await bed.clock.advance(3000);
    expect([bed.watcher.isInSync, bed.watcher.isAdopted]).toEqual([true, false]);
    await bed.elapse(1000);
    expect(bed.watcher.isAdopted).toBe(true);
    expect(bed.log.messages("info").filter((message) => message === "workloads adopted")).toHaveLength(2);
  });

  test("leaves no count behind when it ends", async () => {
    const bed = await watching();
    bed.stop();
    await bed.running;
    expect(bed.meter.sentences).not.toContain("unlooked c1");
  });
});

describe("a workload", () => {
  function refusing(code: Fault["code"]) {
    return watching({
      before: ({ verb, target }: ClusterCall) => {
        if (verb === "patch" && target === "Deployment/ns/api") throw new Fault(code, "refused");
      },
    });
  }

  // Somebody has to mend the webhook, grant the right or look at the workload: nobody has to wait for that.
  test.each([
    "kube.rejected",
    "kube.forbidden",
    "kube.unauthorized",
    "kube.conflict",
    "kube.server-error",
    "engine.invariant",
  ] as const)("whose note is refused with %s has been looked at", async (code) => {
    await using bed = await refusing(code);
    await bed.elapse(1000);
    expect(bed.watcher.isAdopted).toBe(true);
  });

  test.each(["kube.unreachable", "kube.throttled", "engine.aborted"] as const)(
    "that nobody could look at because of %s is waited for",
    async (code) => {
      await using bed = await refusing(code);
      await bed.elapse(3000);
      expect(bed.watcher.isAdopted).toBe(false);
    },
  );

  // What is new of it joins the change that waits already, and that one finds nothing to write.
  test("that is looked at for a change has been looked at", async () => {
    await using bed = await watching();
    await bed.elapse(1000);
    await bed.reconcile(bed.api);
    const { index, api } = bed;
    const entry = { workload: api, sources: ["ConfigMap/ns/other"], patterns: [], scope: "", window: {} };
    await index.put([entry]);
    expect(await index.unreconciled()).toBe(1);
    await bed.reconcile(api, { purpose: "change" });
    expect(await index.unreconciled()).toBe(0);
  });

  test("whose roll is held has been looked at", async () => {
    await using bed = await watching();
    await bed.elapse(1000);
    bed.cluster.setWorkload("api", { annotations: { ...auto, "fleet-reloader.io/freeze": "true" } });
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    const { index, api } = bed;
    await index.put([
      { workload: api, sources: ["ConfigMap/ns/other"], patterns: [], scope: "", window: {} },
    ]);
    expect(await bed.reconcile(api, { purpose: "change" })).toMatchObject({ reason: "FrozenByAnnotation" });
    expect(await index.unreconciled()).toBe(0);
  });
});
