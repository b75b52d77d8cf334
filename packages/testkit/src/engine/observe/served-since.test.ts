import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import { servedAs } from "@fleet-reloader/engine/observe/served";
import { ServedSince } from "@fleet-reloader/engine/observe/served-since";
import { expect, test } from "vitest";
import { createTestBed, stateAnnotation } from "../../beds/test-bed.ts";

const listedAt = 1_700_000_000;

/** A stream of Deployments, of all namespaces or of one, whose Redis is new. `list`: it is listed once, with workloads whose applied states tell this. */
async function newRedis(namespace?: string) {
  const bed = createTestBed();
  await bed.index.open();
  const as = servedAs(bed.settings, namespace);
  const stream = new ServedSince({
    ...{ workloadKind: "Deployment", namespace, session: bed.index },
    ...{ settings: bed.settings, clock: bed.clock, serverSeconds: () => listedAt },
  });
  const noted = (since: number | undefined, under = as) => {
    const text = JSON.stringify({ v: 1, key: "lost", as: under, since, sources: {} });
    const ref = bed.cluster.setWorkload(`of-${since}-${under}`, { annotations: { [stateAnnotation]: text } });
    const live = bed.cluster.workload(ref);
    return live === undefined ? [] : [live];
  };
  const list = async (...pages: ReturnType<typeof noted>[]) => {
    stream.listBegins();
    for (const page of pages) stream.page(page);
    await stream.listed();
    return await bed.index.served(streamName("Deployment", namespace));
  };
  return { ...bed, as, stream, noted, list };
}

test("the time of the first list is the earliest that any applied state tells", async () => {
  const { as, noted, list } = await newRedis();
  expect(await list(noted(1500), noted(1400), [], noted(1600))).toEqual({
    ...{ as, sinceSeconds: 1400, isRestored: true },
  });
  // Redis knows it by now.
  expect(await list(noted(1300))).toEqual({ as, sinceSeconds: 1400, isRestored: true });
});

// A workload that these settings serve only now has never been looked at.
test("applied states of other settings, or without a time, restore nothing", async () => {
  const { as, noted, list } = await newRedis();
  expect(await list(noted(1500, "others"), noted(undefined))).toEqual({
    ...{ as, sinceSeconds: listedAt, isRestored: false },
  });
});

test("other settings than Redis knows are a first list, whatever applied states tell", async () => {
  const { as, index, noted, list } = await newRedis();
  await index.serve("Deployment", { as: "others", sinceSeconds: 1300, isRestored: false });
  expect(await list(noted(1500))).toEqual({ as, sinceSeconds: listedAt, isRestored: false });
});

test("a list that failed half way restores nothing", async () => {
  const { as, noted, list, stream } = await newRedis();
  stream.listBegins();
  stream.page(noted(1200));
  expect(await list()).toEqual({ as, sinceSeconds: listedAt, isRestored: false });
});

// Else the first look at all other namespaces would roll for what had changed before.
test("what was noted where one namespace was served says nothing of all namespaces", async () => {
  const { as, noted, list, settings } = await newRedis();
  expect(await list(noted(1200, servedAs(settings, "ns")))).toEqual({
    ...{ as, sinceSeconds: listedAt, isRestored: false },
  });
});

test("what was noted where all namespaces were served counts for each one", async () => {
  const { as, noted, list, settings } = await newRedis("ns");
  expect(await list(noted(1200, servedAs(settings, undefined)))).toEqual({
    ...{ as, sinceSeconds: 1200, isRestored: true },
  });
});

test("a stream of one namespace keeps the time that Redis has under the former name", async () => {
  const { as, index, list, settings } = await newRedis("ns");
  const before = { sinceSeconds: 1300, isRestored: false };
  await index.serve("Deployment in ns", { as: servedAs(settings, undefined), ...before });
  expect(await list()).toEqual({ as, ...before });
});

// While versions alternate, the earlier one takes the new name for other settings and begins anew.
test("a time under the former name is no later than that of an applied state", async () => {
  const { as, index, noted, list, settings } = await newRedis("ns");
  const before = { sinceSeconds: 1300, isRestored: false };
  await index.serve("Deployment in ns", { as: servedAs(settings, undefined), ...before });
  expect(await list(noted(1200))).toEqual({ ...before, as, sinceSeconds: 1200 });
});
