import { join } from "node:path";
import { type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { passed, until } from "@fleet-reloader/testkit/until";
import { describe, test } from "vitest";
import { auto, at as field, type Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { Stage } from "./stage.ts";
import { allKinds, cronJobs, job, jobs, restarted, type Source, type Subject } from "./subjects.ts";

/** The default quiet period and a half: for what a product that was killed had begun, too. */
const quietMs = 3000;

/** A roll that is more than one write, and the product killed or doubled in between: one action for each change. */
export function kindFaultTests(world: () => World): void {
  describe.concurrent("under faults", () => {
    const prepare = (subject: Subject) => Stage.prepare(world(), subject, { quietMs });
    const startIn = (at: Site, options: Omit<ProductOptions, "kubeconfig"> = {}) =>
      startProduct({
        kubeconfig: world().kubeconfigPath,
        ...options,
        args: ["--namespace", at.namespace, ...allKinds, "--log-level", "debug", ...(options.args ?? [])],
      });

    for (const subject of [cronJobs, jobs, restarted]) {
      // Around the end of the quiet period: the kill hits the reads, one of the writes, or what lies between them.
      test.concurrent.each([1990, 2005, 2015, 2030])(
        `a ${subject.name}, the whole product killed %d ms after a change: one action`,
        async (afterMs) => {
          const stage = await prepare(subject);
          await using product = startIn(stage.at);
          await product.ready();
          await stage.adopted();
          await stage.at.change("ConfigMap", "source", { v: "1" });
          await passed(afterMs);
          product.signal("SIGKILL");
          await product.ended;
          await using again = startIn(stage.at, { dataDir: product.dataDir });
          await again.ready();
          await stage.settlesAt(1, again);
          // Killed after the new Job was made, it has left a stash, which is looked at five seconds after it was seen.
          if (subject.kind === "Job")
            await until("it is alone", async () => (await stage.names("Job")).join() === "it");
        },
      );

      test.concurrent(`a ${subject.name}, two whole instances on one Redis: one action per change`, async () => {
        const stage = await prepare(subject);
        await using server = await startRedis();
        await using one = startIn(stage.at, { args: ["--redis-url", server.url] });
        await one.ready();
        await using two = startIn(stage.at, {
          args: ["--redis-url", server.url, "--mark-key-file", join(one.dataDir, "mark.key")],
        });
        await two.ready();
        await stage.adopted();
        for (const round of [1, 2]) {
          await stage.at.change("ConfigMap", "source", { v: String(round) });
          await stage.settlesAt(round, two);
        }
      });
    }

    test.concurrent("a Job that a finalizer holds comes back, though the product was killed meanwhile", async () => {
      const held = {
        ...jobs,
        objects: (s: readonly Source[]) =>
          [
            [
              "Job",
              { ...job(s), metadata: { name: "it", annotations: auto, finalizers: ["example.com/held"] } },
            ],
          ] as const,
      };
      const stage = await prepare(held);
      await using product = startIn(stage.at);
      await product.ready();
      await stage.adopted();
      await stage.at.change("ConfigMap", "source", { v: "1" });
      await until("it is being deleted, and its stash is there", async () => {
        const live = await stage.at.object("Job", "it");
        return (
          field(live, "metadata", "deletionTimestamp") !== undefined &&
          (await stage.names("Job")).length === 2
        );
      });
      product.signal("SIGKILL");
      await product.ended;
      await using again = startIn(stage.at, { dataDir: product.dataDir });
      await again.ready();
      await stage.at.patch("Job", "it", { metadata: { finalizers: null } });
      await until("the new one is there", async () => (await stage.names("Job")).join() === "it");
      await stage.settlesAt(1, again);
      // It has the finalizer, too: let go of it, so that the namespace can end.
      await stage.at.patch("Job", "it", { metadata: { finalizers: null } });
    });
  });
}
