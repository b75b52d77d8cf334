import { type AccessProvider, accessProviders } from "@fleet-reloader/domain/registration/access-provider";
import { canary, kubeconfigOf } from "@fleet-reloader/testkit/beds/credentials";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { followHub } from "../fixture/followed-hub.ts";
import type { ClusterProvider, Registration } from "../registration.ts";
import { createClusterProfiles } from "./cluster-profiles.ts";

const resource = {
  ...{
    group: "multicluster.x-k8s.io",
    version: "v1alpha1",
    kind: "ClusterProfile",
    plural: "clusterprofiles",
  },
  hasStatus: false,
};

const inventory = (wanted: readonly AccessProvider[] = accessProviders) =>
  followHub(
    (hub) =>
      createClusterProfiles({
        hub,
        namespace: "clusters",
        accessProviders: wanted,
        allowLoopbackHttp: false,
      }),
    {
      customResources: [resource],
    },
  );

const provider = (name: string, extension?: object, server = `https://${name}`) => ({
  name,
  cluster: {
    server,
    ...(extension === undefined
      ? {}
      : { extensions: [{ name: "client.authentication.k8s.io/exec", extension }] }),
  },
});

const profileOf = (name: string, status: object) => ({
  ...{ apiVersion: "multicluster.x-k8s.io/v1alpha1", kind: "ClusterProfile" },
  metadata: { name, namespace: "clusters", labels: { "x-k8s.io/cluster-manager": "ocm" } },
  ...{ spec: { clusterManager: { name: "ocm" } }, status },
});

test("a token comes from the Secret of the profile's name, which is watched", async () => {
  await using hub = await inventory();
  hub.cluster.apply(profileOf("a", { accessProviders: [provider("secretreader")] }));
  hub.start();
  await hub.become("a unusable");
  expect(hub.announcer.notes[0]).toMatch(
    /ClusterProfile clusters\/a, Secret clusters\/a: there is no such Secret yet$/,
  );
  hub.secret("a", { token: canary });
  await hub.become("a usable");
  const versionOf = () => {
    const access = hub.told()?.[0]?.access;
    return access?.type === "usable" ? access.version : undefined;
  };
  const before = versionOf();
  hub.secret("a", { token: `${canary}-2` });
  await until("the rotation is seen", () => versionOf() !== before);
  expect(hub.told()?.[0]?.labels).toMatchObject({ "x-k8s.io/cluster-manager": "ocm" });
  hub.secret("a", { another: canary });
  await hub.become("a unusable");
  expect(hub.log.text).not.toContain(canary);
});

test("a profile that comes later finds its Secret, and nobody else's Secret is read", async () => {
  await using hub = await inventory();
  hub.secret("a", { token: canary });
  hub.secret("b", { token: canary });
  hub.start();
  await hub.become();
  hub.cluster.apply(profileOf("a", { credentialProviders: [provider("secretreader")] }));
  await hub.become("a usable");
  expect(hub.cluster.requestCount("get", "secrets").requests).toBe(1);
});

test("of profiles that nobody wants no Secret is read", async () => {
  await using hub = await followHub(
    (one) =>
      createClusterProfiles({
        hub: one,
        namespace: "clusters",
        accessProviders,
        allowLoopbackHttp: false,
        isWanted: (name) => name === "a",
      }),
    { customResources: [resource] },
  );
  for (const name of ["a", "b"]) {
    hub.secret(name, { token: canary });
    hub.cluster.apply(profileOf(name, { accessProviders: [provider("secretreader")] }));
  }
  // A read of it would keep the list from finishing.
  hub.cluster.failNext({ verb: "get", resource: "secrets", name: "b", status: 403, count: 1000 });
  hub.start();
  await hub.become("a usable");
  expect(hub.log.messages("warn")).toEqual([]);
});

test("what one profile or its Secret becomes has no other read anew", async () => {
  let told: readonly Registration[] = [];
  const accessOf = (id: string) => told.find((one) => one.id.endsWith(id))?.access;
  await using hub = await followHub(
    (one) => {
      const provider = createClusterProfiles({
        hub: one,
        namespace: "clusters",
        accessProviders,
        allowLoopbackHttp: false,
      });
      const run: ClusterProvider["run"] = (signal, onChange) =>
        provider.run(signal, (registrations) => {
          told = registrations;
          onChange(registrations);
        });
      return { ...provider, run };
    },
    { customResources: [resource] },
  );
  const profile = (name: string) => profileOf(name, { accessProviders: [provider("secretreader")] });
  for (const name of ["a", "b"]) {
    hub.secret(name, { token: canary });
    hub.cluster.apply(profile(name));
  }
  hub.start();
  await hub.become("a usable", "b usable");
  const [a, b] = [accessOf("/a"), accessOf("/b")];
  hub.cluster.apply(profile("c"));
  await hub.become("a usable", "b usable", "c unusable");
  hub.secret("a", { token: `${canary}-2` });
  await until("the rotation is seen", () => accessOf("/a") !== a);
  expect(accessOf("/b")).toBe(b);
});

test("the Secret of a removed profile is read again only when the profile is back", async () => {
  await using hub = await inventory();
  hub.secret("a", { token: canary });
  hub.secret("b", { token: canary });
  const profile = (name: string) => profileOf(name, { accessProviders: [provider("secretreader")] });
  for (const name of ["a", "b"]) hub.cluster.apply(profile(name));
  hub.start();
  await hub.become("a usable", "b usable");
  hub.cluster.remove("ClusterProfile", "clusters", "a");
  await hub.become("b usable");
  const reads = () => hub.cluster.requestCount("get", "secrets").requests;
  const before = reads();
  hub.secret("a", { token: `${canary}-2` });
  hub.secret("b", { token: `${canary}-2` });
  await until("the other one is read", () => reads() > before);
  hub.secret("b", { another: canary });
  await hub.become("b unusable");
  expect(reads()).toBe(before + 2);
  hub.cluster.apply(profile("a"));
  await hub.become("a usable", "b unusable");
  expect(reads()).toBe(before + 3);
});

test("the user of a kubeconfig talks to the server of the profile", async () => {
  await using hub = await inventory();
  const content = kubeconfigOf({ admin: { cluster: { server: "https://elsewhere" } } });
  hub.secret("kubeconfigs", {
    one: content,
    exec: kubeconfigOf({ admin: { user: { exec: { command: "aws" } } } }),
  });
  const reader = (extension: object) => ({
    accessProviders: [provider("kubeconfig-secretreader", extension)],
  });
  hub.cluster.apply(profileOf("a", reader({ name: "kubeconfigs", key: "one" })));
  hub.cluster.apply(profileOf("b", reader({ name: "kubeconfigs", key: "one", context: "nobody" })));
  hub.cluster.apply(profileOf("c", reader({ name: "kubeconfigs", key: "exec" })));
  hub.cluster.apply(profileOf("d", reader({ name: "x", key: "one", namespace: "kube-system" })));
  hub.cluster.apply(profileOf("e", reader({})));
  hub.start();
  await hub.become("a usable", "b unusable", "c unusable", "d unusable", "e unusable");
  expect(hub.told()?.[0]?.access).toMatchObject({ target: { server: "https://kubeconfig-secretreader" } });
  const notes = hub.announcer.notes.join("\n");
  expect(notes).toContain('has no context "nobody" with a user');
  expect(notes).toContain('exec plugin "aws" is not allowed');
  expect(notes).toContain("names a Secret of another namespace");
  expect(notes).toContain("names no Secret");
});

test.each<[readonly AccessProvider[], string]>([
  [["secretreader", "kubeconfig-secretreader"], "https://secretreader"],
  [["kubeconfig-secretreader", "secretreader"], "https://kubeconfig-secretreader"],
])("of several access providers the first of %j is taken", async (wanted, server) => {
  await using hub = await inventory(wanted);
  hub.secret("a", { token: canary, value: kubeconfigOf({ admin: {} }) });
  const newer = [provider("gcloud"), provider("kubeconfig-secretreader", { name: "a", key: "value" })];
  const older = [provider("secretreader", undefined, "https://old")];
  hub.cluster.apply(
    profileOf("a", { credentialProviders: older, accessProviders: [...newer, provider("secretreader")] }),
  );
  hub.start();
  await hub.become("a usable");
  expect(hub.told()?.[0]?.access).toMatchObject({ target: { server } });
});

test("a profile that offers none of them says what it does offer", async () => {
  await using hub = await inventory();
  hub.cluster.apply(profileOf("a", { accessProviders: [provider("gcloud")] }));
  hub.start();
  await hub.become("a unusable");
  expect(hub.announcer.notes[0]).toContain(
    "of its access providers (gcloud) none is one of secretreader, kubeconfig-secretreader",
  );
});

test("a hub without an inventory has no clusters", async () => {
  await using hub = await followHub((on) =>
    createClusterProfiles({ hub: on, namespace: undefined, accessProviders, allowLoopbackHttp: false }),
  );
  hub.start();
  await hub.become();
  await until("it is ready", () => hub.notReady().length === 0);
});
