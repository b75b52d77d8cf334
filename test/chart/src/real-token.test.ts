import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";

const off = { automountServiceAccountToken: false };
const hub = { mode: "hub", redis: { url: "redis://redis" } };

async function podOf(values: object): Promise<unknown> {
  return at(the(await rendered({ values }), "Deployment"), "spec", "template", "spec");
}

describe("a pod that would have no token is refused, with the mend", () => {
  test.each([[{}], [hub]])("where the pod says so: %j", async (fleetReloader) => {
    const message = await refusal({ reloader: { deployment: off }, fleetReloader });
    expect(message).toContain("reloader.deployment.automountServiceAccountToken is false");
    expect(message).toContain("remove it, or mount a projected volume");
  });

  test("where its account says so", async () => {
    const message = await refusal({ reloader: { serviceAccount: off } });
    expect(message).toContain("reloader.serviceAccount.automountServiceAccountToken is false");
    expect(message).toContain("set reloader.deployment.automountServiceAccountToken=true");
  });

  test("where only a kubeconfig of registered clusters is at hand", async () => {
    const clusters = { kubeconfigSecrets: ["team-a"], serveHub: false };
    expect(await refusal({ reloader: { deployment: off }, fleetReloader: { clusters } })).toContain(
      "would not reach the API server",
    );
  });
});

describe("a pod is taken that gets its token in another way", () => {
  test("from the pod, where the account has none", async () => {
    const deployment = { automountServiceAccountToken: true };
    expect(await podOf({ reloader: { serviceAccount: off, deployment } })).toMatchObject(deployment);
    const given = { ...off, create: false, name: "given" };
    expect(await podOf({ reloader: { serviceAccount: given } })).not.toHaveProperty(
      "automountServiceAccountToken",
    );
  });

  test.each([
    "/var/run/secrets/kubernetes.io/serviceaccount",
    "/var/run/secrets/kubernetes.io/serviceaccount/",
    "/run/secrets/kubernetes.io",
    "/home/user/.kube",
  ])("from a volume at %s", async (mountPath) => {
    const volumes = [{ name: "token", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }];
    const volumeMounts = [{ name: "token", mountPath }];
    expect(await podOf({ reloader: { deployment: { ...off, volumes, volumeMounts } } })).toMatchObject(off);
  });

  test.each([
    [{ fleetReloader: { args: ["--kubeconfig=/etc/clusters/config"] } }],
    [{ fleetReloader: { args: ["--kubeconfig", "/etc/clusters/config"] } }],
    [{ reloader: { deployment: { env: { open: { KUBECONFIG: "/etc/clusters/config" } } } } }],
  ])("from a kubeconfig: %j", async (values) => {
    const { deployment } = { deployment: {}, ...Object(at(values, "reloader")) };
    expect(await podOf({ ...values, reloader: { deployment: { ...deployment, ...off } } })).toMatchObject(
      off,
    );
  });

  test("and one that asks nothing of the cluster it runs in", async () => {
    const clusters = { kubeconfigSecrets: ["team-a"], serveHub: false };
    const fleetReloader = { clusters, markKey: { existingSecret: "key" } };
    const reloader = { deployment: off, rbac: { enabled: false } };
    expect(await podOf({ reloader, fleetReloader })).toMatchObject(off);
  });
});
