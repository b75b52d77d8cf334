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
  const writerOf = new Map<string, string>();
  for (let round = 1; round <= 20; round += 1) {
    // At most one write a second of each object: of two in one second nobody knows which came last.
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
  }

  const judged = await until(
    "the changes are attributed",
    async () => {
      const named = new Map<string, readonly string[]>();
      for (const record of await historyOf(product, "?limit=100000")) {
        const key = `${String(valueAt(record, "source", "name"))}@${String(record.resourceVersion)}`;
        const told = valueAt(record, "actor", "users");
        if (record.type !== "change" || !writerOf.has(key)) continue;
        const people = Array.isArray(told) ? told.map((one) => String(valueAt(one, "user"))) : [];
        if (people.length > 0 || !named.has(key)) named.set(key, people);
      }
      return [...named.values()].every((people) => people.length > 0) ? named : undefined;
    },
    attributionMs,
  );
  const right = [...judged].filter(([key, people]) => people.length === 1 && people[0] === writerOf.get(key));
  const wrong = [...judged].filter(([key, people]) => !people.includes(writerOf.get(key) ?? ""));
  // A busy machine reads several writes at once: what no roll saw is no change.
  expect(judged.size).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
  expect(right.length / judged.size).toBeGreaterThanOrEqual(0.99);
});

test("a receiver that is away for a minute misses nothing, without a watch", async () => {
  await using audited = await startAuditedPlane(["lister"]);
  const { plane, way } = audited;
  const admin = new ApiClient({ url: plane.url, ca: plane.caPem, token: plane.adminToken });
  const at = await Site.make(admin, "away");
  const apps = names(20);
  await makeApps(at, apps);
  await grantWithoutWatch(admin);
  await using product = startProduct({
    kubeconfig: plane.user("lister").kubeconfigPath,
    args: ["--namespace", at.namespace, "--debounce", "200ms", "--event-source", "audit", ...audited.args],
  });
  await product.ready();
  for (const name of apps) await at.adopted("Deployment", name);
  await at.change("ConfigMap", "app-0", { v: "1" });
  await at.settlesAt("Deployment", "app-0", 1, { quietMs: 500 });

  way.close();
  for (const name of apps.slice(1)) await at.change("ConfigMap", name, { v: "1" });
  await passed(60_000);
  expect(await at.rolls("Deployment", "app-1")).toBe(0);
  way.open();
  // An API server tries again after 10, 28, 54 and 89 s.
  for (const name of apps.slice(1))
    await until(`${name} is rolled`, async () => (await at.rolls("Deployment", name)) === 1, 180_000);
});

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
