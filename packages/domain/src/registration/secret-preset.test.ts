import { describe, expect, test } from "vitest";
import {
  kubeconfigKey,
  registeredName,
  type SecretPreset,
  secretPresetNamed,
  secretPresets,
} from "./secret-preset.ts";

function preset(name: string): SecretPreset {
  const found = secretPresetNamed(name);
  if (found === undefined) throw new Error(`there is no preset ${name}`);
  return found;
}

const clusterName = "cluster.x-k8s.io/cluster-name";

test("a preset is known by its name", () => {
  expect(secretPresets.map(({ name }) => name)).toEqual([
    ...["multicluster-runtime", "cluster-api", "flux", "sveltos", "rancher-fleet"],
  ]);
  expect(secretPresetNamed("helm")).toBeUndefined();
});

describe("the cluster that a Secret registers", () => {
  test.each([
    ["multicluster-runtime", "a", {}, "a"],
    ["flux", "a-kubeconfig", {}, "a-kubeconfig"],
    ["sveltos", "a-sveltos-kubeconfig", {}, "a"],
    ["sveltos", "a-kubeconfig", {}, undefined],
    ["rancher-fleet", "a-kubeconfig", {}, "a"],
    ["rancher-fleet", "-kubeconfig", {}, undefined],
    ["rancher-fleet", "a", {}, undefined],
    ["cluster-api", "a-kubeconfig", { [clusterName]: "a" }, "a"],
    ["cluster-api", "a-user-kubeconfig", { [clusterName]: "a" }, undefined],
    ["cluster-api", "a-ca", { [clusterName]: "a" }, undefined],
    ["cluster-api", "a-kubeconfig", {}, undefined],
  ])("of %s called %s with labels %j is %s", (name, secret, labels, expected) => {
    const label = (key: string) => Object.entries(labels).find(([each]) => each === key)?.[1];
    expect(registeredName(preset(name), secret, label)).toBe(expected);
  });
});

describe("the key of its kubeconfig", () => {
  test.each([
    ["multicluster-runtime", ["other", "kubeconfig"], "kubeconfig"],
    ["cluster-api", ["kubeconfig"], undefined],
    ["flux", ["value.yaml", "value"], "value"],
    ["flux", ["value.yaml"], "value.yaml"],
    ["sveltos", ["kubeconfig", "re-kubeconfig"], "re-kubeconfig"],
    ["sveltos", ["b", "a"], "a"],
    ["sveltos", [], undefined],
  ])("of %s among %j is %s", (name, keys, expected) => {
    expect(kubeconfigKey(preset(name), keys)).toBe(expected);
  });
});
