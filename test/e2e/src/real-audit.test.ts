import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startProduct } from "@fleet-reloader/testkit/product";
import { passed, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { startAuditedPlane } from "./audited-plane.ts";
import { historyOf } from "./scenarios/history.ts";
import { auto, reads, Site, at as valueAt } from "./site.ts";

/** Who wrote is asked 5 s, half a minute, two minutes and eight minutes after a write. */
const attributionMs = 600_000;

const names = (count: number) => Array.from({ length: count }, (_, at) => `app-${at}`);

/** Deployments without pods, each with a ConfigMap of its own. */
async function makeApps(at: Site, apps: readonly string[]): Promise<void> {
  for (const name of apps) {
    await at.configMap(name, { v: "0" });
    const spec = reads(["ConfigMap", name]);
    await at.workload("Deployment", name, { annotations: auto, strategy: { replicas: 0 }, spec });
  }
}

type Recorded = Awaited<ReturnType<typeof historyOf>>[number];

const changesOf = async (product: Parameters<typeof historyOf>[0], since: string) =>
  (await historyOf(product, `?limit=100000&since=${since}`)).filter(({ type }) => type === "change");

/** The write that a record of a change is about. */
const writeOf = (record: Recorded): string =>
  `${String(valueAt(record, "source", "name"))}@${String(record.resourceVersion)}`;

test("of 1,000 writes by 20 users, each recorded change names who wrote it", async () => {
  const users = Array.from({ length: 20 }, (_, at) => `person-${at}`);
  await using audited = await startAuditedPlane(users);
  const { plane } = audited;
  const target = { url: plane.url, ca: plane.caPem };
  const admin = new ApiClient({ ...target, token: plane.adminToken });
  const at = await Site.make(admin, "actors");
  const rule = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "patch"] };
  await admin.create("ClusterRole", { metadata: { name: "writers" }, rules: [rule] });
  const apiGroup = "rbac.authorization.k8s.io";
  await admin.create("ClusterRoleBinding", {
    metadata: { name: "writers" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "writers" },
    subjects: users.map((name) => ({ apiGroup, kind: "User", name })),
  });
  const apps = names(50);
  await makeApps(at, apps);
  await using product = startProduct({
    kubeconfig: plane.kubeconfigPath,
    args: [
      ...["--namespace", at.namespace, "--debounce", "0", "--event-source", "both", ...audited.args],
      ...["--breaker-workload", "0", "--breaker-source", "0"],
    ],
  });
  await product.ready();
  for (const name of apps) await at.adopted("Deployment", name);

  const writers = users.map(
    (name) => [name, new ApiClient({ ...target, token: plane.user(name).token })] as const,
  );
  const started = new Date().toISOString();
  const writerOf = new Map<string, string>();
  for (let round = 1; round <= 20; round += 1) {
    const since = new Date().toISOString();
    // Of two writes of an object in one second nobody knows which came last, and what no roll saw is no change.
    await Promise.all(
      apps.map(async (name, place) => {
        const [user, client] = writers[(round * 7 + place * 3) % writers.length] ?? [];
        const { body, status } =
          (await client?.patch("ConfigMap", name, { data: { v: String(round) } }, at.namespace)) ?? {};
        expect(status).toBe(200);
        writerOf.set(`${name}@${String(valueAt(body, "metadata", "resourceVersion"))}`, user ?? "");
      }),
    );
    await passed(1100);
    await until(
      `the changes of round ${round} are recorded`,
      async () => {
        const recorded = new Set((await changesOf(product, since)).map(writeOf));
        return [...writerOf.keys()].slice(-apps.length).every((write) => recorded.has(write));
      },
      60_000,
    );
  }

  const judged = await until(
    "the changes are attributed",
    async () => {
      const named = new Map<string, readonly string[]>();
      for (const record of await changesOf(product, started)) {
        const key = writeOf(record);
        const told = valueAt(record, "actor", "users");
        if (!writerOf.has(key)) continue;
        const people = Array.isArray(told) ? told.map((one) => String(valueAt(one, "user"))) : [];
        if (people.length > 0 || !named.has(key)) named.set(key, people);
      }
      return [...named.values()].every((people) => people.length > 0) ? named : undefined;
    },
    attributionMs,
  );
  const right = [...judged].filter(([key, people]) => people.length === 1 && people[0] === writerOf.get(key));
  const wrong = [...judged].filter(([key, people]) => !people.includes(writerOf.get(key) ?? ""));
  expect(judged.size).toBe(1000);
  expect(wrong).toEqual([]);
  expect(right.length / judged.size).toBeGreaterThanOrEqual(0.99);
});

test("a receiver that is away for a minute misses nothing, without a watch", async () => {
  await using unwatched = await startUnwatched("away");
  const { apps, at, audited } = unwatched;
  audited.way.close();
  for (const name of apps) await at.change("ConfigMap", name, { v: "1" });
  await passed(60_000);
  expect(await at.rolls("Deployment", "app-1")).toBe(0);
  audited.way.open();
  // An API server tries again after 10, 28, 54 and 89 s.
  for (const name of apps)
    await until(`${name} is rolled`, async () => (await at.rolls("Deployment", name)) === 1, 180_000);
});

test("what a dropping or killed API server held back is found by one comparison", async () => {
  // Its five attempts end after 9 s instead of 89.
  await using unwatched = await startUnwatched("dropped", ["--audit-webhook-initial-backoff=1s"]);
  const { apps, at, audited } = unwatched;
  const [later, ...dropped] = apps;
  audited.way.close();
  for (const name of dropped.slice(5)) await at.change("ConfigMap", name, { v: "1" });
  await passed(15_000);
  audited.way.open();
  for (const name of dropped.slice(0, 5)) await at.change("ConfigMap", name, { v: "1" });
  await audited.plane.restartApiServer("SIGKILL");
  await until("the API server takes writes", async () => {
    await at.change("ConfigMap", later ?? "", { v: "1" });
    return true;
  });
  await at.settlesAt("Deployment", later ?? "", 1, { quietMs: 500 });
  expect(await at.rolls("Deployment", dropped.at(-1) ?? "")).toBe(0);

  expect(await audited.report(moreThanIsReadOneByOne(at.namespace))).toBe(200);
  for (const name of dropped)
    await until(`${name} is rolled`, async () => (await at.rolls("Deployment", name)) === 1, 60_000);
  for (const name of dropped) expect(await at.rolls("Deployment", name)).toBe(1);
});

/** Twenty Deployments under a product that may not watch; the first change of a source has come by an audit event. */
async function startUnwatched(purpose: string, apiServerFlags: readonly string[] = []) {
  await using steps = new AsyncDisposableStack();
  const audited = steps.use(await startAuditedPlane(["lister"], apiServerFlags));
  const { plane } = audited;
  const admin = new ApiClient({ url: plane.url, ca: plane.caPem, token: plane.adminToken });
  const at = await Site.make(admin, purpose);
  const [first = "", ...apps] = names(20);
  await makeApps(at, [first, ...apps]);
  await grantWithoutWatch(admin);
  const product = steps.use(
    startProduct({
      kubeconfig: plane.user("lister").kubeconfigPath,
      args: ["--namespace", at.namespace, "--debounce", "200ms", "--event-source", "audit", ...audited.args],
    }),
  );
  await product.ready();
  for (const name of apps) await at.adopted("Deployment", name);
  await at.change("ConfigMap", first, { v: "1" });
  await at.settlesAt("Deployment", first, 1, { quietMs: 500 });
  const running = steps.move();
  return { apps, at, audited, product, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Of so many objects everything is listed, which is what each watcher does every ten minutes anyway. */
function moreThanIsReadOneByOne(namespace: string): object {
  const now = new Date().toISOString();
  const items = Array.from({ length: 20_001 }, (_, at) => ({
    stage: "ResponseComplete",
    verb: "delete",
    objectRef: { resource: "configmaps", namespace, name: `gone-${at}` },
    requestReceivedTimestamp: now,
    stageTimestamp: now,
  }));
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", items };
}

async function grantWithoutWatch(admin: ApiClient): Promise<void> {
  const verbs = ["get", "list", "create", "update", "patch"];
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs }];
  await admin.create("ClusterRole", { metadata: { name: "lister" }, rules });
  const apiGroup = "rbac.authorization.k8s.io";
  await admin.create("ClusterRoleBinding", {
    metadata: { name: "lister" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "lister" },
    subjects: [{ apiGroup, kind: "User", name: "lister" }],
  });
}
