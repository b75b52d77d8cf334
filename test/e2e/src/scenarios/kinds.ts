import { join } from "node:path";
import type { ApiKind } from "@fleet-reloader/testkit/api-client";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { holds, until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Deeds } from "../deeds.ts";
import { shippedRights } from "../shipped-rights.ts";
import { auto, at as field, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

const allKinds = ["--is-Argo-Rollouts=true", "--workload-kinds=serving.knative.dev/v1/Service=spec.template"];

type SourceKind = "ConfigMap" | "Secret";
type Source = readonly [SourceKind, string];

/** A workload of some kind, and what counts as one action on it. */
interface Subject {
  readonly name: string;
  readonly kind: ApiKind;
  readonly objects: (sources: readonly Source[]) => readonly (readonly [ApiKind, object])[];
  readonly actions: (deeds: Deeds) => Promise<number>;
}

const never = "0 0 30 2 *";
const labels = { app: "it" };
const template = (sources: readonly Source[]) => ({ metadata: { labels }, spec: reads(...sources) });
const podsThatEnd = (sources: readonly Source[]) => ({
  spec: { restartPolicy: "Never", ...reads(...sources) },
});
const named = (metadata: object, spec: object) => ({ metadata: { name: "it", ...metadata }, spec });
const opted = (spec: object, annotations: object = {}) =>
  named({ annotations: { ...auto, ...annotations } }, spec);

const cronJob = (sources: readonly Source[], more: object = {}) =>
  opted({ schedule: never, jobTemplate: { spec: { template: podsThatEnd(sources) } }, ...more });
const job = (sources: readonly Source[], more: object = {}) =>
  opted({ template: podsThatEnd(sources), ...more });
const strategyKey = "reloader.stakater.com/rollout-strategy";
const referring = { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "it" } };
const referred = (sources: readonly Source[]) =>
  named({}, { replicas: 0, selector: { matchLabels: labels }, template: template(sources) });

function rolledByTemplate(kind: ApiKind): Subject {
  return {
    name: kind,
    kind,
    objects: (sources) => [[kind, opted({ template: template(sources) })]],
    actions: (deeds) => deeds.templates(kind, "it"),
  };
}

const cronJobs: Subject = {
  name: "CronJob",
  kind: "CronJob",
  objects: (sources) => [["CronJob", cronJob(sources)]],
  actions: (deeds) => deeds.runs("it"),
};
const jobs: Subject = {
  name: "Job",
  kind: "Job",
  objects: (sources) => [["Job", job(sources)]],
  actions: (deeds) => deeds.remakes("it"),
};
const restarted: Subject = {
  name: "Rollout that is restarted",
  kind: "Rollout",
  objects: (sources) => [["Rollout", opted({ template: template(sources) }, { [strategyKey]: "restart" })]],
  actions: (deeds) => deeds.restarts("Rollout", "it"),
};
const subjects: readonly Subject[] = [
  cronJobs,
  jobs,
  restarted,
  rolledByTemplate("Rollout"),
  rolledByTemplate("DeploymentConfig"),
  rolledByTemplate("KnativeService"),
  {
    name: "Rollout that refers to a Deployment",
    kind: "Rollout",
    objects: (sources) => [
      ["Deployment", referred(sources)],
      ["Rollout", opted(referring)],
    ],
    actions: (deeds) => deeds.templates("Deployment", "it"),
  },
  {
    name: "Rollout that refers to a Deployment and is restarted",
    kind: "Rollout",
    objects: (sources) => [
      ["Deployment", referred(sources)],
      ["Rollout", opted(referring, { [strategyKey]: "restart" })],
    ],
    actions: (deeds) => deeds.restarts("Rollout", "it"),
  },
];

/** Those whose changes have scenarios of their own; here for what comes and goes. */
const appsKinds: readonly Subject[] = (["Deployment", "StatefulSet", "DaemonSet"] as const).map((kind) => ({
  ...rolledByTemplate(kind),
  objects: (sources) => [[kind, opted({ selector: { matchLabels: labels }, template: template(sources) })]],
}));

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

  describe.concurrent("under faults", () => {
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
          const stage = await Stage.prepare(world(), subject);
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
          if (subject.kind === "Job") expect(await stage.names("Job")).toEqual(["it"]);
        },
      );

      test.concurrent(`a ${subject.name}, two whole instances on one Redis: one action per change`, async () => {
        const stage = await Stage.prepare(world(), subject);
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

    test.concurrent("a Job that a finalizer holds comes back when it is let go, though the product was killed meanwhile", async () => {
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
      const stage = await Stage.prepare(world(), held);
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
      await until("the new one is there", async () => (await stage.names("Job")).join() === "it", 60_000);
      await stage.settlesAt(1, again);
      // It has the finalizer, too: let go of it, so that the namespace can end.
      await stage.at.patch("Job", "it", { metadata: { finalizers: null } });
    });
  });
}

/** How soon everything has to be right again after a fault, with a dozen products on the same cores. */
const recoveryMs = 45_000;

/** One workload with its sources in a namespace of its own. */
class Stage {
  readonly at: Site;
  readonly #subject: Subject;
  readonly #deeds: Deeds;

  private constructor(at: Site, subject: Subject, deeds: Deeds) {
    this.at = at;
    this.#subject = subject;
    this.#deeds = deeds;
  }

  static async prepare(
    { client }: World,
    subject: Subject,
    sources: readonly Source[] = [["ConfigMap", "source"]],
  ): Promise<Stage> {
    const at = await Site.make(client, subject.kind.toLowerCase());
    for (const [kind, name] of sources)
      await at[kind === "Secret" ? "secret" : "configMap"](name, { v: "0" });
    const deeds = await Deeds.from(client, at.namespace);
    for (const [kind, object] of subject.objects(sources)) await at.make(kind, object);
    return new Stage(at, subject, deeds);
  }

  static async set(world: World, subject: Subject, sources?: readonly Source[]): Promise<Stage> {
    const stage = await Stage.prepare(world, subject, sources);
    await stage.adopted();
    return stage;
  }

  async adopted(): Promise<void> {
    await this.at.adopted(this.#subject.kind, "it");
  }

  actions(): Promise<number> {
    return this.#subject.actions(this.#deeds);
  }

  /** Exactly this many actions: they come, and no more does. */
  async settlesAt(expected: number, product?: Product): Promise<void> {
    try {
      const what = `${this.#subject.name} has ${expected} actions`;
      await until(what, async () => (await this.actions()) >= expected, recoveryMs);
      await this.staysAt(expected);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${product?.output() ?? ""}`, {
        cause: error,
      });
    }
  }

  async staysAt(expected: number): Promise<void> {
    const what = `${this.#subject.name} stays at ${expected} actions`;
    await holds(what, 3000, async () => (await this.actions()) === expected);
  }

  /** A change is noted, whether it is acted on or not. */
  async changesNote(): Promise<void> {
    const before = await this.at.note(this.#subject.kind, "it");
    await this.at.change("ConfigMap", "source", { v: "changed" });
    await until(
      "the note changes",
      async () => (await this.at.note(this.#subject.kind, "it")) !== before,
      recoveryMs,
    );
  }

  async names(kind: ApiKind): Promise<readonly unknown[]> {
    const items = field(JSON.parse(await this.at.all(kind)), "items");
    return Array.isArray(items) ? items.map((item) => field(item, "metadata", "name")) : [];
  }
}

/** The moment of a fault is part of the case: this is not a wait for something to happen. */
async function passed(ms: number): Promise<void> {
  const from = performance.now();
  await until(`${ms} ms have passed`, () => performance.now() - from >= ms);
}
