import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { commandRun } from "./fixture/command-run.ts";

async function documentsOf(...flags: readonly string[]): Promise<readonly unknown[]> {
  const { code, errors, output } = await commandRun(["audit-policy", ...flags]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  return parseAllDocuments(output).map((document) => document.toJS());
}

test("the policy reports only writes of served kinds, without their content", async () => {
  const [policy] = await documentsOf();
  expect(policy).toEqual({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived", "ResponseStarted"],
    rules: [
      {
        level: "Metadata",
        verbs: ["create", "update", "patch", "delete", "deletecollection"],
        resources: [
          { group: "", resources: ["configmaps", "namespaces", "secrets"] },
          { group: "apps", resources: ["daemonsets", "deployments", "statefulsets"] },
          { group: "batch", resources: ["cronjobs", "jobs"] },
          { group: "apps.openshift.io", resources: ["deploymentconfigs"] },
        ],
      },
      { level: "None" },
    ],
  });
});

test("the webhook leads to the given address, and a batch waits a second", async () => {
  const [, webhook, flags] = await documentsOf("--server", "https://audit.example.org:9443");
  expect(webhook).toMatchObject({
    kind: "Config",
    clusters: [{ cluster: { server: "https://audit.example.org:9443" } }],
  });
  expect(flags).toContain("--audit-webhook-batch-max-wait=1s");
});
