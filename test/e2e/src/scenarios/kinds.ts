import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRights } from "../shipped-rights.ts";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";
import { kindFaultTests } from "./kinds/faults.ts";
import { Stage } from "./kinds/stage.ts";
import {
  allKinds,
  appsKinds,
  cronJob,
  cronJobs,
  job,
  jobs,
  restarted,
  rolledByTemplate,
  type Source,
  subjects,
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
          const stage = await Stage.set(world(), subject, [[kind, "source"]]);
          await stage.at.patch(kind, "source", { metadata: { labels: { touched: "1" } } });
          await stage.staysAt(0);
          await stage.at.change(kind, "source", { v: "1" });
          await stage.settlesAt(1);
          await stage.at.change(kind, "source", { v: "0" });
          await stage.settlesAt(2);
          if (subject.kind === "Job") expect(await stage.names("Job")).toEqual(["it"]);
        },
      );
    }

    test.concurrent("a change of two sources within the quiet period is one action", async () => {
      for (const subject of [cronJobs, jobs, restarted]) {
        const stage = await Stage.set(world(), subject, [
          ["ConfigMap", "source"],
          ["Secret", "source"],
        ]);
        await Promise.all([
          stage.at.change("ConfigMap", "source", { v: "1" }),
          stage.at.change("Secret", "source", { v: "1" }),
        ]);
        await stage.settlesAt(1);
      }
    });

    test.concurrent("a suspended CronJob and a suspended Job are left alone, and run for no old change later", async () => {
      for (const subject of [
        {
          ...cronJobs,
          objects: (s: readonly Source[]) => [["CronJob", cronJob(s, { suspend: true })]] as const,
        },
        { ...jobs, objects: (s: readonly Source[]) => [["Job", job(s, { suspend: true })]] as const },
      ]) {
        const stage = await Stage.set(world(), subject);
        await stage.changesNote();
        await stage.at.patch(subject.kind, "it", { spec: { suspend: false } });
        await stage.staysAt(0);
      }
    });

    test.concurrent("a Job that has finished is left alone", async () => {
      const finished = {
        ...jobs,
        objects: (s: readonly Source[]) => [["Job", job(s, { completions: 0 })]] as const,
      };
      const stage = await Stage.set(world(), finished);
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
            const stage = await Stage.set(world(), subject, [[kind, "source"]]);
            await stage.at.remove(kind, "source");
            await stage.settlesAt(1);
            await stage.at[kind === "Secret" ? "secret" : "configMap"]("source", { v: "1" });
            await stage.settlesAt(2);
          },
        );
      }
    });
  }

  describe("on request", () => {
    test("suspended CronJobs run and finished Jobs run again", async () => {
      await using product = startProduct({
        kubeconfig: world().kubeconfigPath,
        args: ["--reload-suspended", "--reload-finished", "--debounce", "500ms"],
      });
      await product.ready();
      for (const subject of [
        {
          ...cronJobs,
          objects: (s: readonly Source[]) => [["CronJob", cronJob(s, { suspend: true })]] as const,
        },
        { ...jobs, objects: (s: readonly Source[]) => [["Job", job(s, { completions: 0 })]] as const },
      ]) {
        const stage = await Stage.set(world(), subject);
        await stage.at.change("ConfigMap", "source", { v: "1" });
        await stage.settlesAt(1);
      }
    });

    test("ignored types are left alone without a note, others are served", async () => {
      await using product = startProduct({
        kubeconfig: world().kubeconfigPath,
        args: ["--ignored-workload-types", " jobs, cronjobs ", "--debounce", "500ms"],
      });
      await product.ready();
      const at = await Site.make(world().client, "ignored");
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

    test("with exactly the rights that are shipped a CronJob runs and a Job is made anew", async () => {
      await world().grant(shippedRights());
      await using product = startProduct({
        kubeconfig: world().limited.kubeconfigPath,
        args: ["--debounce", "500ms"],
      });
      await product.ready();
      for (const subject of [cronJobs, jobs, rolledByTemplate("DeploymentConfig")]) {
        const stage = await Stage.set(world(), subject);
        await stage.at.change("ConfigMap", "source", { v: "1" });
        await stage.settlesAt(1);
      }
    });
  });

  kindFaultTests(world);
}
