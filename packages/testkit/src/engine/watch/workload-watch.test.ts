import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto, stateAnnotation } from "../../beds/test-bed.ts";
import { noted, type TemplateUses, watchedWorkloads } from "../../beds/watched-workloads.ts";

describe("a workload that is listed or changed", () => {
  test("is put into the index and looked at, at once, only to note what it carries", async () => {
    const { deployment, upsert, index, queue } = await watchedWorkloads();
    await upsert(deployment("api", auto));
    expect(index.workloads).toEqual(["Deployment/ns/api"]);
    expect(queue.additions).toEqual([
      {
        request: { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } },
        quietPeriodMs: 0,
        maxWaitMs: 0,
        purpose: "adoption",
      },
    ]);
  });

  test("and has opted in to nothing costs neither an entry nor a request", async () => {
    const { deployment, upsert, index, asked } = await watchedWorkloads();
    await upsert(deployment("api", {}));
    expect([index.workloads, asked()]).toEqual([[], []]);
  });

  // Without it nothing else would ever lead to the workload, and nobody be told that its annotation says nothing.
  test.each([
    { "reloader.stakater.com/auto": "yes" },
    { "reloader.stakater.com/search": "on" },
    { "configmap.reloader.stakater.com/reload": "[settings" },
  ])("and opts in to nothing because %j cannot be read is looked at, and told of it", async (annotations) => {
    const { deployment, upsert, index, asked, queue, elapse, log, cluster } = await watchedWorkloads();
    const api = deployment("api", annotations);
    await upsert(api);
    await upsert(api);
    expect([index.workloads, queue.additions.length]).toEqual([[], 1]);
    await elapse(100);
    expect(JSON.stringify(log.lines)).toContain("AnnotationUnreadable");
    expect(cluster.workload(api)?.annotations).toEqual(annotations);
    asked();
    await upsert(deployment("api", { ...annotations, "reloader.stakater.com/auto": "no way" }));
    expect(asked()).toEqual(["api"]);
  });

  test("and has opted out leaves the index and is looked at, to lose its note", async () => {
    const { deployment, upsert, index, asked } = await watchedWorkloads();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", { "reloader.stakater.com/auto": null }));
    expect([index.workloads, asked()]).toEqual([[], ["api"]]);
    await upsert(deployment("api", { [stateAnnotation]: null }));
    expect(asked()).toEqual([]);
  });

  test("and asks for other sources than before is looked at again", async () => {
    const { deployment, upsert, asked } = await watchedWorkloads();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", noted, { app: {}, db: {} }));
    expect(asked()).toEqual(["api"]);
  });

  // The ten status updates of a rollout: no call to the index, none to the queue.
  test("costs nothing while only its status changes", async () => {
    const { cluster, deployment, upsert, calls } = await watchedWorkloads();
    const api = deployment("api", noted, { app: { optional: true } });
    await upsert(api);
    calls.length = 0;
    for (let count = 0; count < 10; count += 1) {
      cluster.touchStatus(api);
      await upsert(api);
    }
    expect(calls).toEqual([]);
  });

  describe.each(["while it is watched", "while no watcher runs"])("and edited %s", (when) => {
    async function edited(uses: TemplateUses, becomes: TemplateUses, image: string) {
      const bed = await watchedWorkloads();
      const api = bed.deployment("api", noted, uses);
      await bed.upsert(api);
      bed.asked();
      bed.cluster.setWorkload("api", { template: templateUsing(becomes, image) });
      if (when === "while no watcher runs") bed.restart();
      await bed.upsert(api);
      return bed.asked();
    }

    // Its pods start without the optional sources that are missing now: that has to be noted.
    test("is looked at where a source is optional", async () => {
      expect(await edited({ app: { optional: true } }, { app: { optional: true } }, "app:2")).toEqual([
        "api",
      ]);
    });

    // Noted through the keys of before, a change of a key that is read only now would be lost.
    test("to read other keys of a source is looked at", async () => {
      expect(await edited({ app: { keys: ["a"] } }, { app: { keys: ["a", "b"] } }, "app:1")).toEqual(["api"]);
      expect(await edited({ app: {} }, { app: { keys: ["a"] } }, "app:1")).toEqual(["api"]);
    });

    test("to ask for all it uses instead of what matches is looked at", async () => {
      const bed = await watchedWorkloads();
      const search = { "reloader.stakater.com/auto": null, "reloader.stakater.com/search": "true" };
      const api = bed.deployment("api", search);
      await bed.upsert(api);
      bed.asked();
      bed.cluster.setWorkload("api", { annotations: { ...auto, "reloader.stakater.com/search": null } });
      if (when === "while no watcher runs") bed.restart();
      await bed.upsert(api);
      expect(bed.asked()).toEqual(["api"]);
    });

    test("in nothing that matters costs no request", async () => {
      expect(await edited({ app: { keys: ["a"] } }, { app: { keys: ["a"] } }, "app:2")).toEqual([]);
    });
  });

  test("with annotations that cannot be read keeps no other one out", async () => {
    const { live, watch, deployment, index } = await watchedWorkloads();
    const broken = { "configmap.reloader.stakater.com/reload": "(,app", "fleet-reloader.io/debounce": "x" };
    await watch.page([live(deployment("broken", broken)), live(deployment("good", auto))]);
    expect(index.workloads).toEqual(["Deployment/ns/broken", "Deployment/ns/good"]);
  });
});

describe("a first list", () => {
  /** A list of two pages, as the stream shows it. */
  async function listing() {
    const bed = await watchedWorkloads();
    const [first, last] = [bed.deployment("first", auto), bed.deployment("last", auto)];
    const pages = async () => {
      bed.watch.listBegins();
      for (const ref of [first, last]) await bed.watch.page([bed.live(ref)]);
    };
    return { ...bed, pages, listed: () => bed.watch.listed(), restart: bed.restart };
  }

  // A worker that adopts earlier is told to come again in a second, after it has read the workload in vain.
  test("asks for what it shows once it is complete", async () => {
    const { asked, listed, pages, index } = await listing();
    await pages();
    expect([asked(), index.workloads.length]).toEqual([[], 2]);
    await listed();
    expect(asked()).toEqual(["first", "last"]);
    await pages();
    await listed();
    expect(asked()).toEqual([]);
  });

  // Its own pause may have to end, and the list may break off again and again.
  test("asks at once for a workload that was noted before", async () => {
    const { asked, deployment, live, watch } = await watchedWorkloads();
    watch.listBegins();
    await watch.page([live(deployment("api", { ...auto, [stateAnnotation]: "foreign" }))]);
    expect(asked()).toEqual(["api"]);
  });

  // A namespace that is served from now on is shown page by page, without an end.
  test("that is complete defers no page that comes by itself", async () => {
    const { asked, deployment, listed, live, pages, watch } = await listing();
    await pages();
    await listed();
    asked();
    await watch.page([live(deployment("later", auto))]);
    expect(asked()).toEqual(["later"]);
  });

  test.each(["add", "markPublished"])("whose end failed because of %s is ended by the next", async (call) => {
    for (const isKilled of [false, true]) {
      const { asked, fail, listed, pages, restart } = await listing();
      await pages();
      fail(call);
      await expect(listed()).rejects.toThrow("failed");
      asked();
      if (isKilled) restart();
      await pages();
      await listed();
      expect(asked()).toEqual(["first", "last"]);
    }
  });

  test("that breaks off is taken up by the next", async () => {
    const { asked, listed, pages } = await listing();
    await pages();
    await pages();
    await listed();
    expect(asked()).toEqual(["first", "last"]);
  });
});

describe("what could not be done", () => {
  // Noted already, so only its different entry leads to a reconcile (P1, at each step), in this process or the next.
  test.each(["put", "remove", "add", "markPublished"])(
    "because %s failed is done when the same event comes again",
    async (call) => {
      for (const isKilled of [false, true]) {
        const { deployment, upsert, index, asked, fail, restart } = await watchedWorkloads();
        await upsert(deployment("api", noted));
        asked();
        const api = deployment("api", noted, { app: {}, db: {} });
        fail(call);
        await expect(upsert(api)).rejects.toThrow("failed");
        asked();
        if (isKilled) restart();
        await upsert(api);
        expect(index.workloads).toEqual(["Deployment/ns/api"]);
        expect(asked()).toEqual(["api"]);
        await upsert(api);
        expect(asked()).toEqual([]);
      }
    },
  );
});
