import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretPresets } from "@fleet-reloader/domain/registration/secret-preset";
import { kubeconfigOf } from "@fleet-reloader/testkit/beds/credentials";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { describe, expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { openRegistration, type RegistrationSources } from "./sources.ts";

const nothing: RegistrationSources = {
  ...{ kubeconfigFiles: [], contexts: [], isKubeconfigGiven: false, kubeconfigDirs: [], clusterSecrets: [] },
  ...{
    argocdNamespace: undefined,
    clusterProfiles: undefined,
    accessProviders: [],
    allowExec: [],
    allowLoopbackHttp: false,
    serveHub: undefined,
  },
};

function given(sources: Partial<RegistrationSources>) {
  const folder = mkdtempSync(join(tmpdir(), "fr-sources-"));
  const file = join(folder, "config");
  writeFileSync(file, kubeconfigOf({ hub: {}, more: {} }));
  try {
    const registration = openRegistration({
      sources: { ...nothing, kubeconfigFiles: [file], ...sources },
      ...{ userAgent: "test", clock: systemClock, random: () => 0 },
      ...{ log: new CollectedLog(), meter: new CountingMeter() },
    });
    const { isFleet, providers } = registration;
    return { names: registration.given.map(({ name }) => name), isFleet, providers: providers.length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const flux = secretPresets
  .filter(({ name }) => name === "flux")
  .map((preset) => ({ preset, namespace: "a" }));

describe("the clusters that are served from the start", () => {
  test("are the given ones", () => {
    expect(given({})).toEqual({ names: ["hub"], isFleet: false, providers: 1 });
    expect(given({ contexts: ["hub", "more"] })).toMatchObject({ names: ["hub", "more"], isFleet: true });
  });

  test("are none beside folders, unless they are named", () => {
    const kubeconfigDirs = ["/clusters"];
    expect(given({ kubeconfigDirs })).toEqual({ names: [], isFleet: true, providers: 2 });
    expect(given({ kubeconfigDirs, kubeconfigFiles: [] })).toMatchObject({ names: [] });
    expect(given({ kubeconfigDirs, isKubeconfigGiven: true })).toMatchObject({ names: ["hub"] });
    expect(given({ kubeconfigDirs, serveHub: true })).toMatchObject({ names: ["hub"] });
  });

  test.each<[string, Partial<RegistrationSources>]>([
    ["Secrets", { clusterSecrets: flux }],
    ["Argo CD", { argocdNamespace: "argocd" }],
    ["ClusterProfiles", { clusterProfiles: { namespace: undefined } }],
  ])("with %s are the hub, unless it is not to be served", (_what, sources) => {
    expect(given(sources)).toEqual({ names: ["hub"], isFleet: true, providers: 2 });
    expect(given({ ...sources, serveHub: false })).toMatchObject({ names: [], isFleet: true });
    expect(given({ ...sources, serveHub: false, contexts: ["hub", "more"] })).toMatchObject({
      names: ["more"],
    });
    expect(() => given({ ...sources, kubeconfigFiles: [] })).toThrow("name a kubeconfig file");
  });
});
