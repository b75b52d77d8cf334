import { describe, expect, test } from "vitest";
import { refusal, template } from "./helm.ts";

/** As the process says it. */
const noNamespace = "is no name of a namespace; write exact names, such as team-a,team-b";

describe("values that cannot work are refused, with the value and the mend", () => {
  const cases = [
    {
      what: "a typo in our section",
      values: { fleetReloader: { debounse: "2s" } },
      says: ["/fleetReloader", "debounse"],
    },
    {
      what: "a word for a duration",
      values: { fleetReloader: { debounce: "soon" } },
      says: ["/fleetReloader/debounce", "soon"],
    },
    {
      what: "an unknown strategy",
      values: { reloader: { reloadStrategy: "magic" } },
      says: ["/reloader/reloadStrategy", "annotations"],
    },
    {
      what: "text for a switch",
      values: { reloader: { watchGlobally: "no" } },
      says: ["/reloader/watchGlobally", "boolean"],
    },
    {
      what: "namespaces with all of them",
      values: { reloader: { namespaces: ["a"] } },
      says: ["reloader.watchGlobally=false"],
    },
    {
      what: "nothing to look at",
      values: { reloader: { ignoreSecrets: true, ignoreConfigMaps: true } },
      says: ["set one of them to false"],
    },
    {
      what: "a pattern among the namespaces to exclude",
      values: { reloader: { ignoreNamespaces: "a, kube-*" } },
      says: [`reloader.ignoreNamespaces: "kube-*" ${noNamespace}`],
    },
    {
      what: "a pattern among the namespaces to serve",
      values: { reloader: { watchGlobally: false, namespaces: ["team-a", "team-*"] } },
      says: [`reloader.namespaces: "team-*" ${noNamespace}`],
    },
    {
      what: "the peer's image",
      values: { image: { repository: "x.example/stakater/reloader" } },
      says: ["image.repository", "remove its image.tag"],
    },
    {
      what: "a Secret of kubeconfigs whose volume would have too long a name",
      values: { fleetReloader: { clusters: { kubeconfigSecrets: ["k".repeat(55)] } } },
      says: ["/fleetReloader/clusters/kubeconfigSecrets/0", "k".repeat(55)],
    },
    {
      what: "a password in a URL",
      values: { fleetReloader: { redis: { url: "redis://u:p@redis" } } },
      says: ["fleetReloader.redis.existingSecret"],
    },
    {
      what: "two Redis",
      values: { fleetReloader: { redis: { url: "redis://redis", existingSecret: "redis-url" } } },
      says: ["fleetReloader.redis.url", "fleetReloader.redis.existingSecret", "keep one"],
    },
    {
      what: "a hub without a Redis",
      values: { fleetReloader: { mode: "hub" } },
      says: ["fleetReloader.redis.url", "fleetReloader.hub.valkey.enabled"],
    },
    {
      what: "a hub whose workers have no key in common",
      values: { fleetReloader: { mode: "hub", redis: { url: "redis://r" }, markKey: { create: false } } },
      says: ["fleetReloader.markKey.existingSecret"],
    },
    {
      what: "workers to scale without a hub",
      values: { fleetReloader: { hub: { keda: { enabled: true } } } },
      says: ["fleetReloader.mode=hub"],
    },
    {
      what: "a Redis of its own beside another",
      values: {
        fleetReloader: { mode: "hub", redis: { url: "redis://r" }, hub: { valkey: { enabled: true } } },
      },
      says: ["fleetReloader.hub.valkey.enabled", "keep one"],
    },
    {
      what: "more workers at the least than at the most",
      values: {
        fleetReloader: {
          mode: "hub",
          redis: { url: "redis://r" },
          hub: { keda: { enabled: true, minReplicaCount: 3, maxReplicaCount: 2 } },
        },
      },
      says: ["minReplicaCount is 3", "maxReplicaCount, which is 2"],
    },
    {
      what: "a certificate of the watchers without one of KEDA",
      values: {
        fleetReloader: {
          mode: "hub",
          redis: { url: "redis://r" },
          hub: { keda: { enabled: true, trigger: "push", push: { serverSecret: "watcher-tls" } } },
        },
      },
      says: ["serverSecret and clientSecret together", "set both or neither"],
    },
    {
      what: "another way for KEDA to learn of work",
      values: { fleetReloader: { hub: { keda: { trigger: "pull" } } } },
      says: ["/fleetReloader/hub/keda/trigger", "push"],
    },
    {
      what: "another mode",
      values: { fleetReloader: { mode: "fleet" } },
      says: ["/fleetReloader/mode", "hub"],
    },
    {
      what: "several instances without a key",
      values: {
        reloader: { deployment: { replicas: 2 } },
        fleetReloader: { redis: { url: "redis://r" }, markKey: { create: false } },
      },
      says: ["fleetReloader.markKey.existingSecret"],
    },
  ];
  test.each(cases)("$what", async ({ values, says }) => {
    const message = await refusal(values);
    for (const text of says) expect(message).toContain(text);
    expect(message).not.toContain("u:p@");
  });

  test("a chart without an image, in a sentence that says what to set", async () => {
    const { code, errors } = await template({ isWithoutImage: true });
    expect(code).not.toBe(0);
    expect(errors).toContain("image.repository is empty");
    expect(errors).toContain("set image.repository=REGISTRY/fleet-reloader");
    const values = { global: { imageRegistry: "registry.example" } };
    expect((await template({ values, isWithoutImage: true })).code).toBe(0);
  });

  test("names that the process takes are let through", async () => {
    // As YAML block texts and the CSV of the flag have them.
    for (const ignoreNamespaces of ["a,b-1,", " a , b\n", '"a","b"'])
      expect((await template({ values: { reloader: { ignoreNamespaces } } })).code).toBe(0);
    const values = { reloader: { watchGlobally: false, ignoreNamespaces: "kube-*", namespaces: "a, b" } };
    expect((await template({ values })).code).toBe(0);
  });

  test("keys of other versions of the peer's chart are let through", async () => {
    const values = {
      reloader: { leaderElection: { leaseDuration: "15s" }, deployment: { image: { name: "x" } } },
    };
    expect((await template({ values })).code).toBe(0);
  });
});
