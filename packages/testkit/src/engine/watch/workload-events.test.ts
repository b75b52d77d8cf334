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
});
