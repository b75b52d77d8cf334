import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { passed } from "@fleet-reloader/testkit/until";
import { describe, test } from "vitest";
import { Deeds } from "../../deeds.ts";
import { laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { mounts } from "../csi.ts";
import { appsKinds, copyOf, cronJobs, jobs, type Subject } from "../kinds/subjects.ts";
import {
  adopted,
  begun,
  makeReaders,
  named,
  type Owned,
  settleAt,
  settleCounts,
  workloadsMin,
} from "./estate.ts";
import { launcher } from "./launch.ts";

/** What appears and what changes within the quiet period are looked at in one go, also on a busy machine. */
const longQuiet = ["--debounce", "8s", "--max-wait", "5m"];
const longQuietMs = 10_000;
/** By so much later than meant a change still falls into the quiet period before it: what is in between takes its time, too. */
const latenessMs = 4000;

const providerAuto = { "secretproviderclass.reloader.stakater.com/auto": "true" };

/** How long after it was made a pod status changes. */
const rotationsMs = [5, 500, 2000];
/** Statuses that are made all at once change later than meant: their requests wait for each other. */
const apartMs = 30;

const youngKinds: readonly Subject[] = [jobs, cronJobs, ...appsKinds];

/** What comes after its workload and changes soon, and workloads whose sources change as soon as they are there. */
export function latecomerTests(world: () => World): void {
  const start = launcher(world);

  /** Workloads that wait for a ConfigMap and a Secret that are not there, and have been looked at. */
  async function waiting(at: Site): Promise<readonly Owned[]> {
    const owned = [
      ...(await makeReaders(at, "settled", ["ConfigMap", "late"])),
      ...(await makeReaders(at, "trusted", ["Secret", "late"])),
    ];
    await adopted(at, owned);
    await laterThanTogether();
    await at.configMap("late", { v: "0" });
    await at.secret("late", { v: "0" });
    return owned;
  }

  async function changeBoth(at: Site, v: string): Promise<void> {
    await at.change("ConfigMap", "late", { v });
    await at.change("Secret", "late", { v });
  }

  test.each([
    ["change 1.2 s later", 1200, ["1"]],
    ["change each second for 5 s", 1000, ["1", "2", "3", "4", "5"]],
  ])("a ConfigMap and a Secret that appear late and %s roll once", async (_, everyMs, contents) => {
    await whileInTime(everyMs + latenessMs, async (inTime) => {
      const at = await Site.make(world().client, "late");
      await using product = start(at, { args: longQuiet });
      await product.ready();
      const owned = await waiting(at);
      inTime();
      for (const v of contents) {
        await passed(everyMs);
        await changeBoth(at, v);
        inTime();
      }
      await settleAt(at, owned, 1, { quietMs: longQuietMs });
    });
  });

  test("a pod status that changes 5 ms, 500 ms or 2 s after it was made rolls once", async () => {
    const at = await Site.make(world().client, "late-status");
    await using product = start(at, { args: ["--enable-csi-integration", ...longQuiet] });
    await product.ready();
    const each = Math.ceil(workloadsMin / rotationsMs.length);
    const rotations = rotationsMs.flatMap((afterMs) =>
      named(`after-${afterMs}`, each).map((name) => ({ afterMs, name })),
    );
    const owned = rotations.map(({ name }): Owned => ["Deployment", name]);
    for (const { name } of rotations) {
      await at.providerClass(name);
      await at.workload("Deployment", name, { annotations: providerAuto, spec: mounts(name) });
    }
    await begun(at, owned);
    await Promise.all(
      rotations.map(async ({ afterMs, name }, i) => {
        await passed(i * apartMs);
        await at.podStatus("pod", name, { password: "v1" });
        await passed(afterMs);
        await at.rotate("pod", name, { password: "v2" });
      }),
    );
    await settleAt(at, owned, 1, { quietMs: longQuietMs });
  });

  describe.each([
    ["works", false],
    ["is frozen", true],
  ])("while the process %s", (_, isFrozen) => {
    test("workloads of all kinds act once for a change 100 ms after they were made", async () => {
      const at = await Site.make(world().client, "young");
      const copies = named("it", Math.ceil(workloadsMin / youngKinds.length));
      for (const copy of copies) await at.configMap(copy, { v: "0" });
      // Their controllers have to be done with the first revision before there is a second one to count.
      await using product = start(at, { args: longQuiet });
      await product.ready();
      await laterThanTogether();
      const deeds = await Deeds.from(world().client, at.namespace);
      if (isFrozen) product.signal("SIGSTOP");
      const young = await Promise.all(copies.map((copy) => makeAndChange(at, copy)));
      product.signal("SIGCONT");
      await actOnce(young.flat(), deeds);
    });
  });
}

/** One workload of each kind with a ConfigMap that is there and changes soon, all of this name. */
async function makeAndChange(at: Site, name: string): Promise<readonly Subject[]> {
  const young = youngKinds.map((subject) => copyOf(subject, name));
  for (const [kind, object] of young.flatMap((subject) => subject.objects([["ConfigMap", name]])))
    await at.make(kind, object);
  await passed(100);
  await at.change("ConfigMap", name, { v: "1" });
  return young;
}

async function actOnce(subjects: readonly Subject[], deeds: Deeds): Promise<void> {
  const actions = async () =>
    Object.fromEntries(
      await Promise.all(
        subjects.map(async (subject) => [subject.name, await subject.actions(deeds)] as const),
      ),
    );
  await settleCounts(actions, 1, { quietMs: longQuietMs });
}
