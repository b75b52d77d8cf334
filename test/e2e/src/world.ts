import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { ApiClient, type ApiTarget } from "@fleet-reloader/testkit/api-client";
import { customResourceDefinition, customResources } from "@fleet-reloader/testkit/custom-resources";
import { secretsStoreResources } from "@fleet-reloader/testkit/secrets-store";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";

/** A cluster to try the product on, as a user has it: a kubeconfig and an API. */
export interface World extends AsyncDisposable {
  readonly name: "simulated" | "real";
  readonly kubeconfigPath: string;
  readonly client: ApiClient;
  /** Where the client sends what it sends: for what is put between the product and the API server. */
  readonly target: ApiTarget;
  /** Kubeconfig of a user who may do nothing until it is granted. */
  readonly limited: { readonly kubeconfigPath: string; readonly user: string };
  /** Grants a ClusterRole's rules to the limited user. */
  grant(rules: readonly RbacRule[]): Promise<void>;
  /** Grants rules in these namespaces only, with nothing cluster-wide. */
  grantIn(namespaces: readonly string[], rules: readonly RbacRule[]): Promise<void>;
  /** Ends the API server and starts it again on the same address, its data kept. */
  restartApiServer(): Promise<void>;
}

export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export async function startSimulatedWorld(): Promise<World> {
  const cluster = await startSimCluster({
    name: "simulated",
    customResources: [...customResources, ...secretsStoreResources],
    jobsFinish: false,
  });
  const directory = mkdtempSync(join(tmpdir(), "fr-e2e-"));
  const write = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = cluster.kubeconfig();
  const target = { url: cluster.url, token: cluster.token };
  const limitedToken = cluster.addUser("limited");
  return {
    name: "simulated",
    kubeconfigPath: write("admin.yaml", kubeconfig),
    client: new ApiClient(target),
    target,
    limited: {
      kubeconfigPath: write("limited.yaml", kubeconfig.replace(cluster.token, limitedToken)),
      user: "limited",
    },
    async grant(rules) {
      cluster.setRules("limited", rules);
    },
    async grantIn(namespaces, rules) {
      cluster.setRules(
        "limited",
        rules.map((rule) => ({ ...rule, namespaces })),
      );
    },
    async restartApiServer() {
      await cluster.stop();
      await cluster.start();
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export async function startRealWorld(): Promise<World> {
  const plane = await startControlPlane();
  const target = { url: plane.url, token: plane.adminToken, ca: plane.caPem };
  const client = new ApiClient(target);
  await addKinds(client, "secrets-store.yaml");
  await installCustomResources(client);
  return {
    name: "real",
    kubeconfigPath: plane.kubeconfigPath,
    client,
    target,
    limited: { kubeconfigPath: plane.user("limited").kubeconfigPath, user: "limited" },
    async grant(rules) {
      await client.remove("ClusterRole", "limited");
      await client.remove("ClusterRoleBinding", "limited");
      await client.create("ClusterRole", { metadata: { name: "limited" }, rules });
      await client.create("ClusterRoleBinding", {
        metadata: { name: "limited" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "limited" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "limited" }],
      });
    },
    async grantIn(namespaces, rules) {
      const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "limited" }];
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "limited" };
      const metadata = { name: "limited" };
      for (const namespace of namespaces) {
        await client.create("Role", { metadata, rules }, namespace);
        await client.create("RoleBinding", { metadata, roleRef, subjects }, namespace);
      }
    },
    restartApiServer: () => plane.restartApiServer("SIGKILL"),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

/** Makes the API server serve the kinds of a manifest; resolves when it does. */
async function addKinds(client: ApiClient, manifest: string): Promise<void> {
  const directory = new URL("../../control-plane/crds/", import.meta.url);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const text of readFileSync(new URL(manifest, directory), "utf8").split(/^---$/m)) {
    const { status, body } = await client.send("POST", path, text, "application/yaml");
    if (status >= 300) throw new Error(`${manifest} was answered with ${status}: ${JSON.stringify(body)}`);
  }
  const isServed = async () => (await client.list("SecretProviderClassPodStatus")).status === 200;
  await until(`the kinds of ${manifest} are served`, isServed);
}

/** Resolves when they are served: a definition that was just made is not yet. */
async function installCustomResources(client: ApiClient): Promise<void> {
  for (const custom of customResources)
    await client.create("CustomResourceDefinition", customResourceDefinition(custom));
  for (const { group, version, plural } of customResources) {
    const path = `/apis/${group}/${version}/${plural}`;
    await until(`${path} is served`, async () => (await client.send("GET", path)).status === 200);
  }
}
