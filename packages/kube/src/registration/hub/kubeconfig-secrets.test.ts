import { type SecretPreset, secretPresetNamed } from "@fleet-reloader/domain/registration/secret-preset";
import { canary, kubeconfigOf, traces } from "@fleet-reloader/testkit/beds/credentials";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { followHub } from "../fixture/followed-hub.ts";
import { createKubeconfigSecrets } from "./kubeconfig-secrets.ts";

function preset(name: string): SecretPreset {
  const found = secretPresetNamed(name);
  if (found === undefined) throw new Error(`there is no preset ${name}`);
  return found;
}

const secretsOf = (name: string, namespace: string | undefined = "clusters") =>
  followHub((hub) =>
    createKubeconfigSecrets({
      hub,
      preset: preset(name),
      namespace,
      allowExec: [],
      allowLoopbackHttp: false,
    }),
  );

const kubeconfig = kubeconfigOf({ admin: {} });
const capiLabels = (name: string) => ({ labels: { "cluster.x-k8s.io/cluster-name": name } });
const mcrLabels = { labels: { "sigs.k8s.io/multicluster-runtime-kubeconfig": "true", env: "prod" } };
const fluxLabels = { labels: { "fleet-reloader.io/cluster": "true" } };

describe("Secrets as each tool has them", () => {
  test("multicluster-runtime: the label, and the name of the Secret", async () => {
    await using hub = await secretsOf("multicluster-runtime");
    hub.secret("a", { kubeconfig }, mcrLabels);
    hub.secret("other", { kubeconfig }, { labels: { "sigs.k8s.io/multicluster-runtime-kubeconfig": "no" } });
    hub.start();
    await hub.become("a usable");
    expect(hub.told()?.[0]).toMatchObject({ id: "multicluster-runtime#clusters/a", labels: { env: "prod" } });
  });

  test("flux: value, or else value.yaml", async () => {
    await using hub = await secretsOf("flux");
    hub.secret("a", { value: kubeconfig, "value.yaml": "" }, fluxLabels);
    hub.secret("b", { "value.yaml": kubeconfig }, fluxLabels);
    hub.secret("c", { kubeconfig }, fluxLabels);
    hub.start();
    await hub.become("a usable", "b usable", "c unusable");
    expect(hub.announcer.notes).toEqual([
      "cluster c is unusable: Secret clusters/c: it has no key value or value.yaml; expected a kubeconfig in it",
    ]);
  });

  test("sveltos: the renewed key, else the first, of <name>-sveltos-kubeconfig", async () => {
    await using hub = await secretsOf("sveltos");
    hub.secret("a-sveltos-kubeconfig", { kubeconfig: "run out", "re-kubeconfig": kubeconfig });
    hub.secret("c-sveltos-kubeconfig", { mine: kubeconfig });
    hub.secret("b-kubeconfig", { value: kubeconfig });
    hub.start();
    await hub.become("a usable", "c usable");
  });

  test("rancher-fleet: value of <name>-kubeconfig", async () => {
    await using hub = await secretsOf("rancher-fleet");
    hub.secret("a-kubeconfig", { value: kubeconfig });
    hub.start();
    await hub.become("a usable");
  });

  test("cluster-api: <cluster>-kubeconfig; the content of no other Secret is read", async () => {
    await using hub = await secretsOf("cluster-api");
    hub.secret("a-kubeconfig", { value: kubeconfig }, capiLabels("a"));
    hub.secret("a-ca", { "tls.key": canary }, capiLabels("a"));
    hub.secret("a-user-kubeconfig", { value: kubeconfig }, capiLabels("a"));
    hub.secret("b-kubeconfig", { value: kubeconfig });
    hub.start();
    await hub.become("a usable");
    expect(hub.cluster.requestCount("get", "secrets").requests).toBe(1);
  });

  test("over all namespaces a cluster's name has its namespace", async () => {
    await using hub = await followHub((on) =>
      createKubeconfigSecrets({
        hub: on,
        preset: preset("flux"),
        namespace: undefined,
        allowExec: [],
        allowLoopbackHttp: false,
      }),
    );
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    hub.secret("a", { value: kubeconfig }, { ...fluxLabels, namespace: "more" });
    hub.start();
    await hub.become("clusters/a usable", "more/a usable");
  });
});

describe("a Secret that changes", () => {
  test("has another version exactly when its credentials are others", async () => {
    await using hub = await secretsOf("flux");
    const version = () => {
      const access = hub.told()?.[0]?.access;
      return access?.type === "usable" ? access.version : undefined;
    };
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    hub.start();
    await hub.become("a usable");
    const first = version();
    hub.secret("a", { value: kubeconfig }, { labels: { ...fluxLabels.labels, env: "test" } });
    await until("the label is seen", () => hub.told()?.[0]?.labels.env === "test");
    expect(version()).toBe(first);
    hub.secret("a", { value: kubeconfigOf({ admin: { user: { token: `${canary}-2` } } }) }, fluxLabels);
    await until("the rotation is seen", () => version() !== first);
  });

  test("comes, loses its key, loses its label and goes", async () => {
    await using hub = await secretsOf("flux");
    hub.start();
    await hub.become();
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    await hub.become("a usable");
    hub.secret("a", { value: "" }, fluxLabels);
    await hub.become("a unusable");
    hub.secret("a", { value: kubeconfig }, { labels: { "fleet-reloader.io/cluster": "false" } });
    await hub.become();
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    await hub.become("a usable");
    hub.cluster.remove("Secret", "clusters", "a");
    await hub.become();
  });

  test("into garbage says why once, hides no other, and shows no credential", async () => {
    await using hub = await secretsOf("flux");
    hub.secret("good", { value: kubeconfig }, fluxLabels);
    hub.secret("empty", { value: "" }, fluxLabels);
    hub.secret("half", { value: kubeconfig.slice(0, -40) }, fluxLabels);
    hub.secret(
      "exec",
      { value: kubeconfigOf({ a: { user: { exec: { command: "aws", args: [canary] } } } }) },
      fluxLabels,
    );
    hub.secret(
      "oidc",
      { value: kubeconfigOf({ a: { user: { "auth-provider": { config: { token: canary } } } } }) },
      fluxLabels,
    );
    hub.secret("file", { value: kubeconfigOf({ a: { user: { tokenFile: "/var/run/token" } } }) }, fluxLabels);
    hub.secret("nowhere", { value: kubeconfigOf({ a: {} }, { "current-context": "b" }) }, fluxLabels);
    hub.start();
    await hub.become(
      ...["empty unusable", "exec unusable", "file unusable", "good usable"],
      ...["half unusable", "nowhere unusable", "oidc unusable"],
    );
    hub.secret("good", { value: kubeconfig }, { labels: { ...fluxLabels.labels, env: "test" } });
    await until("the label is seen", () => hub.told()?.some(({ labels }) => labels.env === "test"));
    expect(hub.log.messages("warn")).toEqual(Array(6).fill("registration cannot be used"));
    expect(hub.announcer.notes.join("\n")).toMatch(
      /Secret clusters\/exec, key value, context a: .*"aws" is not allowed/,
    );
    expect(hub.meter.count("registrations test usable")).toBe(1);
    expect(hub.meter.count("registrations test unusable")).toBe(6);
    for (const trace of traces()) expect(`${hub.log.text}\n${hub.announcer.notes}`).not.toContain(trace);
  });
});

describe("a hub that does not answer", () => {
  test("keeps what it has shown, and shows what has changed when it answers again", async () => {
    await using hub = await secretsOf("flux");
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    hub.secret("b", { value: kubeconfig }, fluxLabels);
    hub.start();
    await hub.become("a usable", "b usable");
    await hub.cluster.stop();
    await until("that is told", () => hub.notReady().length > 0);
    hub.secret("c", { value: kubeconfig }, fluxLabels);
    hub.cluster.remove("Secret", "clusters", "a");
    await hub.become("a usable", "b usable");
    hub.cluster.expireHistory();
    await hub.cluster.start();
    await hub.become("b usable", "c usable");
    await until("all is well", () => hub.notReady().length === 0);
  });

  test("that refuses is named with the right that is missing", async () => {
    await using hub = await followHub(
      (on) =>
        createKubeconfigSecrets({
          hub: on,
          preset: preset("flux"),
          namespace: "clusters",
          allowExec: [],
          allowLoopbackHttp: false,
        }),
      { asUser: "robot" },
    );
    hub.secret("a", { value: kubeconfig }, fluxLabels);
    hub.start();
    await until("it is refused", () => hub.notReady()[0]?.includes("blocked"));
    expect(hub.notReady()[0]).toMatch(
      /^registrations on hub: Secrets of flux are blocked .*cannot list resource "secrets"/,
    );
    expect(hub.told()).toBeUndefined();
    const rule = { apiGroups: [""], resources: ["secrets"], namespaces: ["clusters"] };
    hub.cluster.setRules("robot", [{ ...rule, verbs: ["list", "watch"] }]);
    await hub.become("a unusable");
    expect(hub.announcer.notes[0]).toContain("grant the verb get on secrets");
  });
});

describe.each(["v1beta1", "v1beta2"])("Clusters of Cluster API in %s", (version) => {
  const status = (isReady: boolean) =>
    version === "v1beta1"
      ? { conditions: [{ type: "ControlPlaneInitialized", status: isReady ? "True" : "False" }] }
      : { initialization: { controlPlaneInitialized: isReady } };
  const clusterOf = (spec: object, isReady: boolean, metadata: object = {}) => ({
    ...{ apiVersion: `cluster.x-k8s.io/${version}`, kind: "Cluster" },
    metadata: { name: "a", namespace: "clusters", labels: { env: "prod" }, ...metadata },
    ...{ spec, status: status(isReady) },
  });
  const resource = {
    group: "cluster.x-k8s.io",
    version,
    kind: "Cluster",
    plural: "clusters",
    hasStatus: false,
  };
  const capi = (asUser?: string) =>
    followHub(
      (on) =>
        createKubeconfigSecrets({
          hub: on,
          preset: preset("cluster-api"),
          namespace: "clusters",
          allowExec: [],
          allowLoopbackHttp: false,
        }),
      { customResources: [resource], ...(asUser === undefined ? {} : { asUser }) },
    );

  test("say when their control plane is there, when to pause, and their labels", async () => {
    await using hub = await capi();
    hub.secret("a-kubeconfig", { value: kubeconfig }, capiLabels("a"));
    hub.cluster.apply(clusterOf({}, false));
    hub.start();
    await hub.become("a unusable");
    expect(hub.announcer.notes[0]).toContain("its control plane is not initialised yet");
    hub.cluster.apply(clusterOf({}, true));
    await hub.become("a usable");
    expect(hub.told()?.[0]?.labels).toMatchObject({ env: "prod", "cluster.x-k8s.io/cluster-name": "a" });
    hub.cluster.apply(clusterOf({ paused: true }, true));
    await hub.become("a paused");
    hub.cluster.apply(clusterOf({}, true));
    await hub.become("a usable");
    hub.cluster.apply(clusterOf({}, true, { annotations: { "cluster.x-k8s.io/paused": "" } }));
    await hub.become("a paused");
  });

  test("need not be looked at for a rotation to be seen", async () => {
    await using hub = await capi();
    const version = () => {
      const access = hub.told()?.[0]?.access;
      return access?.type === "usable" ? access.version : undefined;
    };
    hub.secret("a-kubeconfig", { value: kubeconfig }, capiLabels("a"));
    hub.cluster.apply(clusterOf({}, true));
    hub.start();
    await hub.become("a usable");
    const before = version();
    hub.secret("a-kubeconfig", { value: kubeconfigOf({ b: {} }) }, capiLabels("a"));
    await until("the rotation is seen", () => version() !== before, 5000);
  });

  test("that may not be read are done without", async () => {
    await using hub = await capi("robot");
    hub.cluster.setRules("robot", [
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] },
    ]);
    hub.secret("a-kubeconfig", { value: kubeconfig }, capiLabels("a"));
    hub.cluster.apply(clusterOf({ paused: true }, true));
    hub.start();
    await hub.become("a usable");
    await until("nothing is waited for", () => hub.notReady().length === 0);
  });
});
