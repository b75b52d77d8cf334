import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auto, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";
import { kindFaultTests } from "./kinds/faults.ts";
import { Stage } from "./kinds/stage.ts";
import {
  allKinds,
  annotated,
  appsKinds,
  cronJob,
  cronJobs,
  finishedJobs,
  job,
  jobs,
  restarted,
  type Subject,
  subjects,
  suspendedCronJobs,
  suspendedJobs,
} from "./kinds/subjects.ts";

/** Kinds of workloads beyond those that just roll: each acts exactly once on a change, whatever fails meanwhile. */
export function kindTests(world: () => World): void {
  // How the other strategy writes is the matter of unit tests; that it works, of the API server whose word counts.
  const strategies = world().name === "real" ? ["annotations", "env-vars"] : ["annotations"];
  describe.each(strategies)("strategy %s", (strategy) => {
    let product: Product | undefined;
    beforeAll(async () => {
      const args = [...allKinds, "--reload-strategy", strategy, "--debounce", "500ms"];
      product = startProduct({ kubeconfig: world().kubeconfigPath, args });
      await product.ready();
    });
    afterAll(() => product?.[Symbol.asyncDispose]());

    for (const subject of subjects) {
      test.concurrent.each(["ConfigMap", "Secret"] as const)(
        `a ${subject.name} acts once on a change of its %s, and not on a change that is none`,
        async (kind) => {
          const stage = await Stage.set(world(), subject, { sources: [[kind, "source"]] });
          await stage.at.patch(kind, "source", { metadata: { labels: { touched: "1" } } });
          await stage.staysAt(0);
          await stage.at.change(kind, "source", { v: "1" });
          await stage.settlesAt(1);
          await stage.at.change(kind, "source", { v: "0" });
          await stage.settlesAt(2);
          // The stash goes after the new Job has come.
          if (subject.kind === "Job")
            await until("it is alone", async () => (await stage.names("Job")).join() === "it");
        },
      );
    }

    test.concurrent("a change of two sources within the quiet period is one action", async () => {
      const bothKinds = [
        ["ConfigMap", "source"],
        ["Secret", "source"],
      ] as const;
      const isOneAction = async (subject: Subject): Promise<void> => {
        const patient = annotated(subject, unhurried.annotations);
        const { quietMs } = unhurried;
        const stage = await Stage.set(world(), patient, { sources: bothKinds, quietMs });
        await Promise.all(bothKinds.map(([kind, name]) => stage.at.change(kind, name, { v: "1" })));
        await stage.settlesAt(1);
      };
      await Promise.all([cronJobs, jobs, restarted].map(isOneAction));
    });

    test.concurrent("suspended CronJobs and Jobs are left alone, and run for no old change later", async () => {
      const isLeftAlone = async (subject: Subject): Promise<void> => {
        const stage = await Stage.set(world(), subject);
        await stage.changesNote();
        await stage.at.patch(subject.kind, "it", { spec: { suspend: false } });
        await stage.staysAt(0);
      };
      await Promise.all([suspendedCronJobs, suspendedJobs].map(isLeftAlone));
    });

    test.concurrent("a Job that has finished is left alone", async () => {
      const stage = await Stage.set(world(), finishedJobs);
      await until("it is complete", async () =>
        JSON.stringify(await stage.at.object("Job", "it")).includes('"type":"Complete"'),
      );
      await stage.changesNote();
      await stage.staysAt(0);
    });
  });

  // Half a minute for each, side by side: on the API server whose word counts.
  if (world().name === "real") {
    describe.each(["annotations", "env-vars"])("sources that come and go, strategy %s", (strategy) => {
      let product: Product | undefined;
      beforeAll(async () => {
        const flags = ["--reload-on-create=true", "--reload-on-delete=true", "--reload-strategy", strategy];
        const args = [...allKinds, ...flags, "--debounce", "500ms"];
        product = startProduct({ kubeconfig: world().kubeconfigPath, args });
        await product.ready();
      });
      afterAll(() => product?.[Symbol.asyncDispose]());

      for (const subject of [...subjects, ...appsKinds]) {
        test.concurrent.each(["ConfigMap", "Secret"] as const)(
          `a ${subject.name} acts once when its %s goes, and once when it is there again`,
          async (kind) => {
            const stage = await Stage.set(world(), subject, { sources: [[kind, "source"]] });
            await stage.at.remove(kind, "source");
            await stage.settlesAt(1);
            await stage.at[kind === "Secret" ? "secret" : "configMap"]("source", { v: "1" });
            await stage.settlesAt(2);
          },
        );
      }
    });
  }

  // Side by side, so each has a product that serves its own namespaces only.
  describe.concurrent("on request", () => {
    const startFor = (sites: readonly Site[], args: readonly string[]): Product => {
      const namespaces = sites.map(({ namespace }) => namespace).join();
      return startProduct({
        kubeconfig: world().kubeconfigPath,
        args: ["--namespaces", namespaces, "--debounce", "500ms", ...args],
      });
    };

    test("suspended CronJobs run and finished Jobs run again", async () => {
      const both = [suspendedCronJobs, finishedJobs];
      const stages = await Promise.all(both.map((subject) => Stage.prepare(world(), subject)));
      const sites = stages.map(({ at }) => at);
      await using product = startFor(sites, ["--reload-suspended", "--reload-finished"]);
      await product.ready();
      await Promise.all(stages.map((stage) => stage.actsOnAChange()));
    });

    test("ignored types are left alone without a note, others are served", async () => {
      const at = await Site.make(world().client, "ignored");
      await using product = startFor([at], ["--ignored-workload-types", " jobs, cronjobs "]);
      await product.ready();
      await at.configMap("source", { v: "0" });
      await at.make("CronJob", cronJob([["ConfigMap", "source"]]));
      await at.make("Job", job([["ConfigMap", "source"]]));
      await at.workload("Deployment", "it", { annotations: auto, spec: reads(["ConfigMap", "source"]) });
      await at.adopted("Deployment", "it");
      await at.change("ConfigMap", "source", { v: "1" });
      await at.settlesAt("Deployment", "it", 1, { quietMs: 2000 });
      expect(await at.note("CronJob", "it")).toBeUndefined();
      expect(await at.note("Job", "it")).toBeUndefined();
    });
  });

  kindFaultTests(world);
}
