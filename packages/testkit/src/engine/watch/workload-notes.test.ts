import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto, stateAnnotation } from "../../beds/test-bed.ts";
import { noted, watchedWorkloads } from "../../beds/watched-workloads.ts";

describe("a workload that is listed or changed", () => {
  test("and lost its note is looked at again", async () => {
    const { deployment, upsert, asked } = await watchedWorkloads();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", { [stateAnnotation]: null }));
    expect(asked()).toEqual(["api"]);
  });

  test("and was noted is not looked at again for that", async () => {
    const { deployment, upsert, asked } = await watchedWorkloads();
    await upsert(deployment("api", auto));
    asked();
    await upsert(deployment("api", noted));
    expect(asked()).toEqual([]);
  });

  // Every adoption ends with such an event.
  test("and was noted is not put into the index again, unless it changed as well", async () => {
    const { deployment, upsert, calls } = await watchedWorkloads();
    await upsert(deployment("api", auto, { app: {} }));
    const putsAfter = async (annotations: typeof noted, uses: string) => {
      calls.length = 0;
      await upsert(deployment("api", annotations, { [uses]: {} }));
      return calls.filter((call) => call === "put").length;
    };
    expect(await putsAfter(noted, "app")).toBe(0);
    expect(await putsAfter({ ...noted, [stateAnnotation]: null }, "app")).toBe(1);
    expect(await putsAfter(noted, "other")).toBe(1);
  });

  // Whoever restores an old note, or copies another's, would have us roll for it, or not.
  test("and whose note somebody else has written is looked at", async () => {
    const { cluster, deployment, upsert, asked } = await watchedWorkloads();
    await upsert(deployment("api", noted));
    asked();
    cluster.setWorkload("api", {
      annotations: { [stateAnnotation]: '{"v":1,"key":"k1","n":1,"sources":{}}' },
    });
    await upsert({ kind: "Deployment", namespace: "ns", name: "api" });
    expect(asked()).toEqual(["api"]);
  });

  // Its template may be one of before, whose pods have stayed (ADR 0016).
  test("and whose template others wrote after its roll is looked at when it is out", async () => {
    const { cluster, deployment, upsert, asked } = await watchedWorkloads();
    const earlier = '"sources":{"ConfigMap/app":{"digest":"d","earlier":[{"until":1,"digest":"e"}]}}';
    const rolled = `{"v":1,"key":"k1","template":"t","until":0,${earlier}}`;
    const api = deployment("api", { ...auto, [stateAnnotation]: rolled });
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    const marked = {
      ...templateUsing({ app: {} }),
      metadata: { annotations: { "fleet-reloader.io/mark": "m" } },
    };
    cluster.setWorkload("api", { template: marked, manager: fieldManager });
    cluster.setStatus(api, status);
    await upsert(api);
    asked();
    cluster.setWorkload("api", { template: templateUsing({ app: {} }, "app:2") });
    await upsert(api);
    expect(asked()).toEqual([]);
    cluster.setStatus(api, status);
    await upsert(api);
    expect(asked()).toEqual(["api"]);
    cluster.setStatus(api, { ...status, readyReplicas: 1 });
    await upsert(api);
    expect(asked()).toEqual([]);
  });

  test.each(["events", "a list after events that failed"])(
    "whose note somebody else wrote twice, ours in between, is looked at again by %s",
    async (how) => {
      const { cluster, live, watch, deployment, upsert, asked, fail } = await watchedWorkloads();
      const api = deployment("api", noted);
      const foreign = (n: number) => {
        cluster.setWorkload("api", {
          annotations: { [stateAnnotation]: `{"v":1,"key":"k1","n":${n},"sources":{}}` },
        });
        return live(api);
      };
      foreign(1);
      await upsert(api);
      asked();
      const ours = '{"v":1,"key":"k1","sources":{}}';
      cluster.setWorkload("api", { annotations: { [stateAnnotation]: ours }, manager: fieldManager });
      const states = [live(api), foreign(2)].map((object) => ({ type: "upsert", object }) as const);
      if (how === "events") await watch.events(states);
      else {
        fail("add");
        await expect(watch.events(states)).rejects.toThrow("failed");
        asked();
        await watch.page([live(api)]);
      }
      expect(asked()).toEqual(["api"]);
    },
  );
});
