import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { WorkloadWatch } from "@fleet-reloader/engine/watch/workload-watch";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, type TestBedOptions } from "../../beds/test-bed.ts";

const period = "deployment.reloader.stakater.com/pause-period";
const pausedAt = "deployment.reloader.stakater.com/paused-at";

/** A Deployment that is adopted, and asks to be paused for a minute. */
async function held(options: TestBedOptions = {}) {
  const bed = createTestBed(options);
  const source = bed.cluster.setSource("ConfigMap", "app", { v: "1" });
  const annotations = { ...auto, [period]: "1m" };
  const api = bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations });
  await bed.reconcile(api, { purpose: "adoption" });
  const edit = (v: string) => bed.cluster.setSource("ConfigMap", source.name, { v });
  const change = async (v: string) => {
    edit(v);
    await bed.queue.add([
      { request: { cluster: "c1", workload: api }, quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" },
    ]);
    await bed.elapse(0);
  };
  const state = () => ({
    isPaused: bed.cluster.workload(api)?.isPaused,
    isMarked: bed.cluster.workload(api)?.annotations[pausedAt] !== undefined,
    rolls: bed.cluster.rolls(api).length,
  });
  return { ...bed, api, edit, change, state };
}

/** A watch of Deployments; what it returns shows it the Deployment as it is now. */
async function watchOf(bed: Awaited<ReturnType<typeof held>>) {
  const options = { ...bed, cluster: "c1", kind: deployment, namespace: undefined };
  const watch = new WorkloadWatch({ ...options, onListed: () => undefined });
  await bed.index.open();
  return async () => {
    const live = bed.cluster.workload(bed.api);
    await watch.page(live === undefined ? [] : [live]);
  };
}

const free = { isPaused: false, isMarked: false };
const paused = { isPaused: true, isMarked: true };

test("the first change pauses, more are written, and the end resumes them all", async () => {
  const bed = await held();
  await bed.change("2");
  expect(bed.state()).toEqual({ ...paused, rolls: 1 });
  await bed.elapse(30_000);
  await bed.change("3");
  await bed.elapse(29_000);
  expect(bed.state()).toEqual({ ...paused, rolls: 2 });
  await bed.elapse(1100);
  expect(bed.state()).toEqual({ ...free, rolls: 2 });
  await bed.change("4");
  expect(bed.state()).toEqual({ ...paused, rolls: 3 });
});

test("nothing is paused where nothing changes", async () => {
  const bed = await held();
  await bed.change("1");
  expect(bed.state()).toEqual({ ...free, rolls: 0 });
});

test("a pause and the change that begins it are one write", async () => {
  const bed = await held();
  const before = bed.cluster.writes.filter(({ by }) => by === "us").length;
  await bed.change("2");
  expect(bed.cluster.writes.filter(({ by }) => by === "us")).toHaveLength(before + 1);
});

describe("a pause ends although", () => {
  test("the clock of the worker that began it was hours ahead", async () => {
    const bed = await held();
    await bed.change("2");
    const ahead = new Date(bed.clock.now() + 6 * 3_600_000).toISOString();
    bed.cluster.setWorkload("api", { annotations: { [pausedAt]: ahead } });
    await bed.reconcile(bed.api, { purpose: "adoption" });
    await bed.elapse(61_000);
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });

  test("the queue was lost: the watch sees the Deployment at its start, and asks", async () => {
    const bed = await held();
    await bed.change("2");
    bed.queue.wipe();
    const watched = await watchOf(bed);
    await watched();
    await bed.elapse(59_000);
    expect(bed.state()).toEqual({ ...paused, rolls: 1 });
    await bed.elapse(1500);
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });

  test("the API server refused the write that ends it", async () => {
    let isDown = false;
    const bed = await held({
      before: ({ verb }) => {
        if (isDown && verb === "patch") throw new Fault("kube.server-error", "refused");
      },
    });
    await bed.change("2");
    isDown = true;
    await bed.elapse(65_000);
    expect(bed.state()).toEqual({ ...paused, rolls: 1 });
    isDown = false;
    await bed.elapse(5000);
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });

  test.each([
    ["removed", null, 0],
    ["shortened", "20s", 10_000],
  ])("its period was %s meanwhile", async (_, text, leftMs) => {
    const bed = await held();
    const watched = await watchOf(bed);
    await bed.change("2");
    await watched();
    await bed.elapse(10_000);
    bed.cluster.setWorkload("api", { annotations: { [period]: text } });
    await watched();
    await bed.elapse(leftMs + 1000);
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });

  test("the Deployment does not opt in any more", async () => {
    const bed = await held();
    await bed.change("2");
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": null, [period]: null } });
    await bed.reconcile(bed.api, { purpose: "adoption" });
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });
});

test("a pause of a person's stays, and changes are written into it", async () => {
  const bed = await held();
  bed.cluster.setWorkload("api", { isPaused: true });
  await bed.change("2");
  await bed.elapse(600_000);
  expect(bed.state()).toEqual({ isPaused: true, isMarked: false, rolls: 1 });
});

test("a person who resumes before the time is not paused again", async () => {
  const bed = await held();
  await bed.change("2");
  bed.cluster.setWorkload("api", { isPaused: false });
  await bed.elapse(61_000);
  expect(bed.state()).toEqual({ ...free, rolls: 1 });
});

test("a person who resumes, and pauses before the time, pauses without an end", async () => {
  const bed = await held();
  const watched = await watchOf(bed);
  await bed.change("2");
  await watched();
  await bed.elapse(1000);
  for (const isPaused of [false, true]) {
    bed.cluster.setWorkload("api", { isPaused });
    await watched();
    await bed.elapse(20_000);
    expect(bed.state()).toEqual({ isPaused, isMarked: false, rolls: 1 });
  }
  await bed.elapse(61_000);
  expect(bed.state()).toEqual({ isPaused: true, isMarked: false, rolls: 1 });
});

// A change that is still waiting for quiet must not slip out with the end of the pause.
test("the end of a pause rolls nothing that has not been quiet yet", async () => {
  const bed = await held({ settings: { debounce: { quietPeriodMs: 2000, maxWaitMs: 30_000 } } });
  bed.edit("2");
  await bed.reconcile(bed.api);
  expect(bed.state()).toEqual({ ...paused, rolls: 1 });
  await bed.elapse(59_500);
  bed.edit("3");
  await bed.elapse(1000);
  expect(bed.state()).toEqual({ ...free, rolls: 1 });
  await bed.elapse(2000);
  expect(bed.state()).toEqual({ ...paused, rolls: 2 });
});

describe("a webhook that takes the change out of the template", () => {
  /** The template stays as it is from now on. */
  async function heldStripped() {
    let kept: unknown;
    const bed = await held({ admit: (template) => kept ?? template });
    const strip = () => {
      kept = bed.cluster.workload(bed.api)?.template;
    };
    return { ...bed, strip };
  }

  test("leaves nothing paused: there is no rollout to hold", async () => {
    const bed = await heldStripped();
    bed.strip();
    await bed.change("2");
    expect(bed.state()).toEqual({ ...free, rolls: 0 });
  });

  test("does not prolong a pause", async () => {
    const bed = await heldStripped();
    await bed.change("2");
    await bed.elapse(30_000);
    bed.strip();
    await bed.change("3");
    expect(bed.state()).toEqual({ ...paused, rolls: 1 });
    // Also when what ends it is the write that is rewritten.
    bed.queue.wipe();
    await bed.elapse(31_000);
    await bed.change("4");
    expect(bed.state()).toEqual({ ...free, rolls: 1 });
  });
});
