import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { deployment } from "@fleet-reloader/domain/kind/deployment";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { WorkloadWatch } from "@fleet-reloader/engine/watch/workload-watch";
import { describe, expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";

type Uses = Parameters<typeof templateUsing>[0];

const note = appliedAnnotation("k1");
const noted = { ...auto, [note]: '{"v":1,"key":"k1","sources":{}}' };

async function watched() {
  const calls: string[] = [];
  let failing = "";
  const before = (call: string) => {
    calls.push(call);
    if (call !== failing) return;
    failing = "";
    throw new Error(`${call} failed`);
  };
  const bed = createTestBed({ beforeIndex: before, beforeQueue: before });
  await bed.index.open();
  let lists = 0;
  const onListed = () => {
    lists += 1;
  };
  const start = () =>
    new WorkloadWatch({
      ...bed,
      ...{ cluster: "c1", kind: deployment, namespace: undefined, onListed },
    });
  let watch = start();
  const live = (ref: WorkloadRef) => {
    const workload = bed.cluster.workload(ref);
    if (workload === undefined) throw new Error(`${ref.name} is gone`);
    return workload;
  };
  calls.length = 0;
  return {
    ...bed,
    calls,
    get watch() {
      return watch;
    },
    /** The process was killed; what it knew is gone, the index is not. */
    restart: () => {
      watch = start();
    },
    live,
    lists: () => lists,
    /** The next call of this name fails, once. */
    fail: (call: string) => {
      failing = call;
    },
    deployment: (
      name: string,
      annotations: Readonly<Record<string, string | null>>,
      uses: Uses = { app: {} },
    ) => {
      const { [note]: text, ...own } = annotations;
      const ref = bed.cluster.setWorkload(name, { template: templateUsing(uses), annotations: own });
      if (text !== undefined)
        bed.cluster.setWorkload(name, { annotations: { [note]: text }, manager: fieldManager });
      return ref;
    },
    upsert: (ref: WorkloadRef) => watch.events([{ type: "upsert", object: live(ref) }]),
    /** Names of the workloads asked for since the last look. */
    asked: () => bed.queue.additions.splice(0).map(({ request }) => request.workload.name),
  };
}

describe("a workload that is listed or changed", () => {
  test("is put into the index and looked at, at once, only to note what it carries", async () => {
    const { deployment, upsert, index, queue } = await watched();
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
    const { deployment, upsert, index, asked } = await watched();
    await upsert(deployment("api", {}));
    expect([index.workloads, asked()]).toEqual([[], []]);
  });

  // Without it nothing else would ever lead to the workload, and nobody be told that its annotation says nothing.
  test.each([
    { "reloader.stakater.com/auto": "yes" },
    { "reloader.stakater.com/search": "on" },
    { "configmap.reloader.stakater.com/reload": "[settings" },
  ])("and opts in to nothing because %j cannot be read is looked at, and told of it", async (annotations) => {
    const { deployment, upsert, index, asked, queue, elapse, log, cluster } = await watched();
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
    const { deployment, upsert, index, asked } = await watched();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", { "reloader.stakater.com/auto": null }));
    expect([index.workloads, asked()]).toEqual([[], ["api"]]);
    await upsert(deployment("api", { [note]: null }));
    expect(asked()).toEqual([]);
  });

  test("and asks for other sources than before is looked at again", async () => {
    const { deployment, upsert, asked } = await watched();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", noted, { app: {}, db: {} }));
    expect(asked()).toEqual(["api"]);
  });

  test("and lost its note is looked at again", async () => {
    const { deployment, upsert, asked } = await watched();
    await upsert(deployment("api", noted));
    asked();
    await upsert(deployment("api", { [note]: null }));
    expect(asked()).toEqual(["api"]);
  });

  test("and was noted is not looked at again for that", async () => {
    const { deployment, upsert, asked } = await watched();
    await upsert(deployment("api", auto));
    asked();
    await upsert(deployment("api", noted));
    expect(asked()).toEqual([]);
  });

  // Whoever restores an old note, or copies another's, would have us roll for it, or not.
  test("and whose note somebody else has written is looked at", async () => {
    const { cluster, deployment, upsert, asked } = await watched();
    await upsert(deployment("api", noted));
    asked();
    cluster.setWorkload("api", { annotations: { [note]: '{"v":1,"key":"k1","n":1,"sources":{}}' } });
    await upsert({ kind: "Deployment", namespace: "ns", name: "api" });
    expect(asked()).toEqual(["api"]);
  });

  // Between two states that come at once its sources may have changed.
  test("is remembered by the first state that shows its interest", async () => {
    const { cluster, index, live, deployment, watch, queue } = await watched();
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
    const { index, live, deployment, watch } = await watched();
    await watch.page([live(deployment("api", auto))]);
    expect(index.records?.seen.size).toBe(0);
    expect(index.records?.unreconciled.size).toBe(1);
  });

  // The ten status updates of a rollout: no call to the index, none to the queue.
  test("costs nothing while only its status changes", async () => {
    const { cluster, deployment, upsert, calls } = await watched();
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
    async function edited(uses: Uses, becomes: Uses, image: string) {
      const bed = await watched();
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
      const bed = await watched();
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

  test("and deleted leaves the index; made again it counts as new", async () => {
    const { live, watch, deployment, upsert, index, asked } = await watched();
    const api = deployment("api", noted);
    await upsert(api);
    asked();
    await watch.events([{ type: "delete", object: live(api) }]);
    expect([index.workloads, asked()]).toEqual([[], []]);
    await upsert(api);
    expect([index.workloads, asked()]).toEqual([["Deployment/ns/api"], ["api"]]);
  });

  test("several times in one batch counts as it was last", async () => {
    const { live, watch, deployment, index, asked } = await watched();
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
    const { cluster, live, watch, deployment, upsert, index, asked } = await watched();
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

  test.each(["events", "a list after events that failed"])(
    "whose note somebody else wrote twice, ours in between, is looked at again by %s",
    async (how) => {
      const { cluster, live, watch, deployment, upsert, asked, fail } = await watched();
      const api = deployment("api", noted);
      const foreign = (n: number) => {
        cluster.setWorkload("api", { annotations: { [note]: `{"v":1,"key":"k1","n":${n},"sources":{}}` } });
        return live(api);
      };
      foreign(1);
      await upsert(api);
      asked();
      const ours = '{"v":1,"key":"k1","sources":{}}';
      cluster.setWorkload("api", { annotations: { [note]: ours }, manager: fieldManager });
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

  test("with annotations that cannot be read keeps no other one out", async () => {
    const { live, watch, deployment, index } = await watched();
    const broken = { "configmap.reloader.stakater.com/reload": "(,app", "fleet-reloader.io/debounce": "x" };
    await watch.page([live(deployment("broken", broken)), live(deployment("good", auto))]);
    expect(index.workloads).toEqual(["Deployment/ns/broken", "Deployment/ns/good"]);
  });
});

describe("a complete list", () => {
  test("takes what is not in it out of the index, and nothing of another kind", async () => {
    const { live, watch, deployment, upsert, index, cluster, lists } = await watched();
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
    const { watch, deployment, upsert, asked } = await watched();
    const api = deployment("api", noted);
    await upsert(api);
    watch.listBegins();
    await watch.listed();
    asked();
    await upsert(api);
    expect(asked()).toEqual(["api"]);
  });

  test("that breaks off takes nothing away, and the next one begins anew", async () => {
    const { live, watch, deployment, upsert, index } = await watched();
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

describe("what could not be done", () => {
  // Noted already, so only its different entry leads to a reconcile (P1, at each step), in this process or the next.
  test.each(["put", "remove", "add", "markPublished"])(
    "because %s failed is done when the same event comes again",
    async (call) => {
      for (const isKilled of [false, true]) {
        const { deployment, upsert, index, asked, fail, restart } = await watched();
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
