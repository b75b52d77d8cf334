import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { holds, until } from "@fleet-reloader/testkit/until";
import { auto, reads } from "../site.ts";
import { adopted, answerOf, followPage, type PageSetting } from "./follow-page.ts";
import { readPage } from "./page.ts";

/** Short, since each page waits for some of them. */
const debounceMs = 200;

const namespace = "shop";
const shop: readonly object[] = [
  { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "db" }, data: { password: "Zmlyc3Q=" } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name: "api", annotations: auto },
    spec: {
      selector: { matchLabels: { app: "api" } },
      template: { metadata: { labels: { app: "api" } }, spec: reads(["Secret", "db"]) },
    },
  },
];

/** A workload as a roll of it is looked for. */
interface RolledWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A hub that serves the simulated cluster nova, with the command line in its pod. */
export interface OperatedFleet extends AsyncDisposable {
  /** Does what a page below docs/operate says. */
  follow(name: string): Promise<void>;
  /** What the page for people on call is about: the Deployment `api` in the namespace `shop`, which uses the Secret `db`. */
  makeShop(): Promise<void>;
  /** Waits for this many rolls of a workload, and sees that no more come. */
  rolled(workload: RolledWorkload, count: number): Promise<void>;
}

export async function startOperatedFleet(): Promise<OperatedFleet> {
  const folder = mkdtempSync(join(tmpdir(), "fr-pages-"));
  const kubeconfigs = join(folder, "kubeconfigs");
  mkdirSync(kubeconfigs);
  const [redis, nova, otech62] = await Promise.all([
    startRedis(),
    startSimCluster({ name: "nova" }),
    startSimCluster({ name: "otech62" }),
  ]);
  const kubeconfig = join(kubeconfigs, "nova.yaml");
  writeFileSync(kubeconfig, nova.kubeconfig(), { mode: 0o600 });
  const freezes = join(folder, "freezes.yaml");
  writeFileSync(freezes, "[]\n");
  const product = startProduct({
    kubeconfig: "",
    args: [
      ...["--kubeconfig-dir", kubeconfigs, "--allow-loopback-http", "--redis-url", redis.url],
      ...["--freeze-file", freezes, "--debounce", `${debounceMs}ms`],
    ],
  });
  await product.ready();
  const env = {
    FLEET_RELOADER_REDIS_URL: redis.url,
    FLEET_RELOADER_DATA_DIR: product.dataDir,
    FLEET_RELOADER_FREEZE_FILE: freezes,
    KUBECONFIG: kubeconfig,
  };
  const setting: PageSetting = {
    cluster: nova,
    folder,
    env,
    given: new Map([["otech62.yaml", otech62.kubeconfig()]]),
    places: new Map([["/etc/fleet/kubeconfigs", kubeconfigs]]),
  };
  await until("the command line knows the cluster", async () =>
    /nova +Ready/.test(await answerOf(["clusters"], setting, "…")),
  );
  return {
    follow: (name) => followPage(readPage(name), setting),
    async makeShop() {
      for (const object of shop) nova.apply(object);
      await adopted(nova);
    },
    async rolled({ kind, namespace, name }, count) {
      const rolls = () => nova.templateChanges(kind, namespace, name);
      await until(`${name} has ${count} rolls`, () => rolls() >= count);
      await holds(`${name} stays at ${count} rolls`, 5 * debounceMs, () => rolls() === count);
    },
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await Promise.all([nova, otech62, redis].map((one) => one[Symbol.asyncDispose]()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
