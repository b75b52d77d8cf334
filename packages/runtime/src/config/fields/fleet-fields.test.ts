import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusal } from "../../fixture/refusal.ts";
import { connectionFields } from "../fields.ts";
import { loadConfig } from "../load.ts";
import { fleetFields, registrationSourcesOf } from "./fleet-fields.ts";

const fields = { ...connectionFields, ...fleetFields };
const load = (...args: readonly string[]) => loadConfig(fields, { args, env: {} });
const problem = (...args: readonly string[]) => refusal(() => load(...args));

describe("where clusters come from", () => {
  test("without a word: nothing but the given cluster", () => {
    expect(load()).toMatchObject({
      ...{ kubeconfigDirs: [], clusterSecrets: [], argocdNamespace: undefined, clusterProfiles: undefined },
      ...{ accessProviders: ["secretreader", "kubeconfig-secretreader"], allowExec: [], serveHub: undefined },
    });
  });

  test("folders and allowed commands may be several", () => {
    expect(load("--kubeconfig-dir=/a,/b", "--kubeconfig-dir", "/c", "--allow-exec=aws")).toMatchObject({
      kubeconfigDirs: ["/a", "/b", "/c"],
      allowExec: ["aws"],
    });
  });

  test("presets are in all namespaces, or in the one that is named", () => {
    const { clusterSecrets } = load("--cluster-secrets=cluster-api,flux=clusters,flux=more");
    expect(clusterSecrets.map(({ preset, namespace }) => [preset.name, namespace])).toEqual([
      ["cluster-api", undefined],
      ["flux", "clusters"],
      ["flux", "more"],
    ]);
  });

  test.each([
    ["--argocd-clusters", "argocd"],
    ["--argocd-clusters=true", "argocd"],
    ["--argocd-clusters=gitops", "gitops"],
    ["--argocd-clusters=false", undefined],
  ])("%s: namespace %s", (flag, namespace) => {
    expect(load(flag).argocdNamespace).toBe(namespace);
  });

  test.each([
    ["--cluster-profiles", { namespace: undefined }],
    ["--cluster-profiles=inventory", { namespace: "inventory" }],
    ["--cluster-profiles=false", undefined],
  ])("%s: %j", (flag, expected) => {
    expect(load(flag).clusterProfiles).toEqual(expected);
  });

  test.each([
    ["--cluster-secrets=capi", '"capi" is no preset; write one of multicluster-runtime, cluster-api, flux'],
    ["--cluster-secrets=flux=", '"" is no namespace; write flux=NAMESPACE, or flux alone for all'],
    ["--cluster-secrets=flux=A_b", '"A_b" is no namespace'],
    ["--argocd-clusters=A_b", "is no namespace; write its name, or true or false"],
    ["--serve-hub=perhaps", "is neither true nor false"],
    ["--cluster-profile-providers=gcloud", '"gcloud" is no access provider known here; write one or more of'],
  ])("%s is refused: %s", (flag, why) => {
    expect(problem(flag)).toContain(why);
  });

  test("a namespace that stands apart from its switch is told how to be written", () => {
    expect(problem("--argocd-clusters", "gitops")).toBe(
      "gitops: not understood here; write --argocd-clusters=gitops",
    );
  });
});

test.each([
  ["--serve-hub", true],
  ["--serve-hub=false", false],
])("%s is %s", (flag, expected) => {
  expect(load(flag).serveHub).toBe(expected);
});

test("the kubeconfig in the home folder is there, but nobody named it", () => {
  const home = mkdtempSync(join(tmpdir(), "fr-home-"));
  try {
    mkdirSync(join(home, ".kube"));
    writeFileSync(join(home, ".kube/config"), "");
    const sourcesOf = (...args: readonly string[]) => registrationSourcesOf(load(...args), { HOME: home });
    expect(sourcesOf()).toMatchObject({
      kubeconfigFiles: [join(home, ".kube/config")],
      isKubeconfigGiven: false,
    });
    expect(sourcesOf("--context=a")).toMatchObject({ isKubeconfigGiven: true });
    expect(sourcesOf("--kubeconfig=/a")).toMatchObject({ kubeconfigFiles: ["/a"], isKubeconfigGiven: true });
  } finally {
    rmSync(home, { recursive: true });
  }
});
