import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto } from "../../beds/test-bed.ts";
import { noted, watchedWorkloads } from "../../beds/watched-workloads.ts";

describe("a workload that is listed or changed", () => {
  // Between two states that come at once its sources may have changed.
  test("is remembered by the first state that shows its interest", async () => {
    const { cluster, index, live, deployment, watch, queue } = await watchedWorkloads();
    const api = deployment("api", { "reloader.stakater.com/auto": "false" });
    const before = live(api);
    cluster.setWorkload("api", { annotations: auto });
    const optedIn = live(api);
    cluster.touchStatus(api);
    await watch.events([before, optedIn, live(api)].map((object) => ({ type: "upsert", object }) as const));
    expect(index.records?.seen.get("Deployment/ns/api")).toEqual({
      uid: optedIn.uid,
      resourceVersion: optedIn.resourceVersion,
      atSeconds: optedIn.writtenAtSeconds,
    });
    expect(queue.additions).toHaveLength(1);
  });

  // What it is made and edited with at once may come in one batch, or the edit long after.
  test.each([["in one batch"], ["later"]])(
    "is remembered by the first of two, where the next comes %s",
    async (when) => {
      const { cluster, index, live, deployment, watch } = await watchedWorkloads();
      const made = live(deployment("api", auto, { app: { optional: true } }));
      const shown = async (...states: readonly (typeof made)[]) =>
        await watch.events(states.map((object) => ({ type: "upsert", object }) as const));
      if (when === "later") await shown(made);
      const edits = [
        { annotations: { "fleet-reloader.io/debounce": "5s" }, manager: "kubectl-annotate" },
        { annotations: { "configmap.reloader.stakater.com/reload": "other" }, manager: "kubectl-annotate" },
        { fields: { spec: { replicas: 0 } }, manager: "kubectl-scale" },
      ];
      const edited = edits.map((edit) => {
        cluster.setWorkload("api", edit);
        return live(made.ref);
      });
      expect(new Set(edited.map(({ generation }) => generation))).toEqual(new Set([1, 2]));
      if (when === "later") for (const state of edited) await shown(state);
      else await shown(made, ...edited);
      expect(index.records?.seen.get("Deployment/ns/api")?.resourceVersion).toBe(made.resourceVersion);
    },
  );

  test("in a list is not remembered as seen, since nobody watched it come", async () => {
    const { index, live, deployment, watch } = await watchedWorkloads();
    await watch.page([live(deployment("api", auto))]);
    expect(index.records?.seen.size).toBe(0);
    expect(index.records?.unreconciled.size).toBe(1);
  });

  test("and deleted leaves the index; made again it counts as new", async () => {
    const { live, watch, deployment, upsert, index, asked } = await watchedWorkloads();
    const api = deployment("api", noted);
    await upsert(api);
    asked();
    await watch.events([{ type: "delete", object: live(api) }]);
    expect([index.workloads, asked()]).toEqual([[], []]);
    await upsert(api);
    expect([index.workloads, asked()]).toEqual([["Deployment/ns/api"], ["api"]]);
  });

  test("several times in one batch counts as it was last", async () => {
    const { live, watch, deployment, index, asked } = await watchedWorkloads();
    const first = live(deployment("api", auto));
    const last = live(deployment("api", { "reloader.stakater.com/auto": null }));
    const gone = live(deployment("old", auto));
    await watch.events([
      { type: "upsert", object: first },
      { type: "upsert", object: gone },
      { type: "delete", object: gone },
      { type: "delete", object: first },
      { type: "upsert", object: last },
    ]);
    expect([index.workloads, asked()]).toEqual([[], []]);
  });

  // Of the new one nothing is known: neither its pods nor its note are those of the one that is gone.
  test("deleted and created again in one batch is remembered by the creating event", async () => {
    const { cluster, live, watch, deployment, upsert, index, asked } = await watchedWorkloads();
    const api = deployment("api", noted);
    await upsert(api);
    asked();
    const gone = live(api);
    cluster.deleteWorkload(api);
    const anew = live(deployment("api", noted));
    await watch.events([
      { type: "delete", object: gone },
      { type: "upsert", object: anew },
    ]);
    expect(index.records?.seen.get("Deployment/ns/api")?.uid).toBe(anew.uid);
    expect(asked()).toEqual(["api"]);
  });
});

describe("a complete list", () => {
  test("takes what is not in it out of the index, and nothing of another kind", async () => {
    const { live, watch, deployment, upsert, index, cluster, lists } = await watchedWorkloads();
    const [api, old] = [deployment("api", auto), deployment("old", auto)];
    const set = cluster.setWorkload(
      "set",
      { template: templateUsing({ app: {} }), annotations: auto },
      "StatefulSet",
    );
    for (const ref of [api, old, set]) await upsert(ref);
    watch.listBegins();
    await watch.page([live(api)]);
    expect(index.workloads).toHaveLength(3);
    await watch.listed();
    expect(index.workloads).toEqual(["Deployment/ns/api", "StatefulSet/ns/set"]);
    expect(lists()).toBe(1);
  });

  // A deletion that was missed, and a workload of the same name and content made since.
  test("forgets what is gone, so that it counts as new when it is made again", async () => {
    const { watch, deployment, upsert, asked } = await watchedWorkloads();
    const api = deployment("api", noted);
    await upsert(api);
    watch.listBegins();
    await watch.listed();
    asked();
    await upsert(api);
    expect(asked()).toEqual(["api"]);
  });

  test("that breaks off takes nothing away, and the next one begins anew", async () => {
    const { live, watch, deployment, upsert, index } = await watchedWorkloads();
    const [api, old] = [deployment("api", auto), deployment("old", auto)];
    for (const ref of [api, old]) await upsert(ref);
    watch.listBegins();
    await watch.page([live(api), live(old)]);
    watch.listBegins();
    await watch.page([live(api)]);
    await watch.listed();
    expect(index.workloads).toEqual(["Deployment/ns/api"]);
  });

  // A watcher that had the cluster before was frozen, or its connection: its last removal comes when the next one has put all in.
  test("puts back what was taken out of the index, and asks for it", async () => {
    const { live, watch, deployment, index, asked } = await watchedWorkloads();
    const [api, web] = [deployment("api", noted), deployment("web", noted)];
    const list = async () => {
      watch.listBegins();
      for (const ref of [api, web]) await watch.page([live(ref)]);
      await watch.listed();
    };
    await list();
    asked();
    await index.remove([web]);
    await list();
    expect([index.workloads, asked()]).toEqual([["Deployment/ns/api", "Deployment/ns/web"], ["web"]]);
    await list();
    expect(asked()).toEqual([]);
  });

  test("rolls of what it puts back only what has missed a change", async () => {
    const { cluster, live, watch, deployment, index, asked, elapse } = await watchedWorkloads();
    const names = ["current", "outdated"];
    const uses = (name: string) => ({ [name]: {} });
    for (const name of names) cluster.setSource("ConfigMap", name, { a: "1" });
    const refs = names.map((name) => deployment(name, auto, uses(name)));
    const list = async () => {
      watch.listBegins();
      await watch.page(refs.map(live));
      await watch.listed();
      await elapse(5000);
    };
    const templates = () => refs.map((ref) => live(ref).template);
    for (const _ of ["new", "noted"]) await list();
    const before = templates();
    await index.remove(refs);
    cluster.setSource("ConfigMap", "outdated", { a: "2" });
    asked();
    await list();
    expect(asked()).toEqual(names);
    const [current, outdated] = templates();
    expect(current).toEqual(before[0]);
    expect(outdated).not.toEqual(before[1]);
  });

  test("asks once what the index has, and not at all where nothing was known", async () => {
    const { live, watch, deployment, calls } = await watchedWorkloads();
    const api = deployment("api", noted);
    const unserved = deployment("unserved", {});
    const list = async (...refs: readonly (typeof api)[]) => {
      calls.length = 0;
      watch.listBegins();
      for (const ref of refs) await watch.page([live(ref)]);
      await watch.listed();
      return calls.filter((call) => call === "keys").length;
    };
    expect(await list(unserved, unserved)).toBe(0);
    expect(await list(unserved, api)).toBe(0);
    expect(await list(unserved, api)).toBe(1);
  });

  test("asks again what the index has where its first page failed", async () => {
    const { live, watch, deployment, upsert, index, asked, fail } = await watchedWorkloads();
    const api = deployment("api", noted);
    await upsert(api);
    asked();
    await index.remove([api]);
    watch.listBegins();
    fail("keys");
    await expect(watch.page([live(api)])).rejects.toThrow("failed");
    await watch.page([live(api)]);
    await watch.listed();
    expect([index.workloads, asked()]).toEqual([["Deployment/ns/api"], ["api"]]);
  });

  // The index has what the failed event showed.
  test("puts back a workload that went back after an event that failed", async () => {
    const { live, watch, deployment, upsert, index, fail } = await watchedWorkloads();
    const api = deployment("api", noted, { app: {} });
    await upsert(api);
    deployment("api", noted, { other: {} });
    fail("add");
    await expect(upsert(api)).rejects.toThrow("failed");
    deployment("api", noted, { app: {} });
    watch.listBegins();
    await watch.page([live(api)]);
    await watch.listed();
    const app = { ref: { kind: "ConfigMap", namespace: "ns", name: "app" }, resourceVersion: "9" } as const;
    const [changed] = await index.findChanged([app]);
    expect(changed?.dependents.map(({ workload }) => workload.name)).toEqual(["api"]);
  });
});
