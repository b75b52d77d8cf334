import {
  canary,
  certificate,
  garbage,
  kubeconfigOf,
  privateKey,
  traces,
} from "@fleet-reloader/testkit/beds/credentials";
import { describe, expect, test } from "vitest";
import { targetOf } from "../../fixture/targets-of.ts";
import type { Access } from "../registration.ts";
import { accessOfArgoSecret, argoName } from "./argocd-config.ts";
import type { HubSecret } from "./hub-secrets.ts";

const hub = { target: targetOf(kubeconfigOf({ management: {} })) };

interface Written {
  readonly config?: unknown;
  readonly server?: string;
  readonly name?: string;
  readonly namespaces?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Secret in the format of `argocd cluster add`. */
function secretOf({
  labels = {},
  annotations = {},
  config = { bearerToken: canary },
  ...entries
}: Written): HubSecret {
  const data = { server: "https://a.example.com", name: "a", ...entries, config: JSON.stringify(config) };
  const content = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return { key: "argocd/cluster-a", namespace: "argocd", name: "cluster-a", labels, annotations, content };
}

function accessOf(written: Written, allowExec: readonly string[] = []): Access {
  const secret = secretOf(written);
  return accessOfArgoSecret(secret, argoName(secret), { hub, allowExec, allowLoopbackHttp: false });
}

async function requestOf(access: Access): Promise<Readonly<Record<string, unknown>>> {
  const options: Record<string, unknown> = {};
  if (access.type === "usable") await access.target.config.applyToHTTPSOptions(options);
  return options;
}

describe("credentials", () => {
  test("a bearer token", async () => {
    expect(await requestOf(accessOf({}))).toMatchObject({ headers: { Authorization: `Bearer ${canary}` } });
  });

  test("a name and a password", async () => {
    const access = accessOf({ config: { username: "admin", password: canary } });
    expect(await requestOf(access)).toMatchObject({ auth: `admin:${canary}` });
  });

  test("a client certificate, an authority and the server's name", async () => {
    const tlsClientConfig = {
      certData: certificate,
      keyData: privateKey,
      caData: certificate,
      serverName: "kube",
    };
    const pem = Buffer.from(certificate, "base64");
    expect(await requestOf(accessOf({ config: { tlsClientConfig } }))).toMatchObject({
      ca: pem,
      cert: pem,
      servername: "kube",
    });
  });

  test("a server that is not verified", async () => {
    const access = accessOf({
      config: { bearerToken: canary, tlsClientConfig: { insecure: true, caData: "" } },
    });
    expect(await requestOf(access)).toMatchObject({ rejectUnauthorized: false });
  });

  test("a plugin that is allowed, with its map of variables", () => {
    const execProviderConfig = { command: "aws", args: ["eks", "get-token"], env: { AWS_REGION: "x" } };
    const access = accessOf({ config: { execProviderConfig } }, ["aws"]);
    const user = access.type === "usable" ? access.target.config.getCurrentUser() : undefined;
    expect(user?.exec).toMatchObject({
      command: "aws",
      args: ["eks", "get-token"],
      env: [{ name: "AWS_REGION", value: "x" }],
    });
  });

  test("of the cluster that Argo CD runs in are ours", () => {
    for (const server of ["https://kubernetes.default.svc", "https://kubernetes.default.svc/"]) {
      const access = accessOf({ server, name: "own", config: { tlsClientConfig: { insecure: false } } });
      expect(access).toMatchObject({ target: { name: "own", server: hub.target.server } });
    }
    expect(accessOf({ server: "https://kubernetes.default.svc" })).toMatchObject({
      target: { server: "https://kubernetes.default.svc" },
    });
  });
});

describe("the rest of a Secret", () => {
  test("a proxy, and a slash at the end of the server", () => {
    const config = { bearerToken: canary, proxyUrl: "http://proxy:3128", disableCompression: true };
    expect(accessOf({ server: "https://a.example.com/", config })).toMatchObject({
      target: { server: "https://a.example.com", proxyUrl: "http://proxy:3128" },
    });
  });

  test("namespaces are trimmed, and another list is another version", () => {
    const [some, more] = [accessOf({ namespaces: " a, b ,,a" }), accessOf({ namespaces: "a,b,c" })];
    expect(some).toMatchObject({ namespaces: ["a", "b"] });
    expect(some.type === "usable" && more.type === "usable" && some.version !== more.version).toBe(true);
    expect(accessOf({ namespaces: " , " })).not.toHaveProperty("namespaces");
  });

  test.each([
    ["prod", "https://a", "prod"],
    ["", "https://a/", "https://a"],
    ["", "", "cluster-a"],
    ["", `https://u:${canary}@a`, "cluster-a"],
    ["", `https://a/?token=${canary}`, "cluster-a"],
    ["", `https://a/#${canary}`, "cluster-a"],
  ])("name %j at %s is called %s", (name, server, called) => {
    expect(argoName(secretOf({ name, server }))).toBe(called);
  });
});

describe("a Secret that is not used says why", () => {
  test.each<[string, Written, string]>([
    [
      "one of an agent",
      {
        server: `https://argocd-agent-resource-proxy:9090?agentName=edge`,
        labels: { "argocd-agent.argoproj-labs.io/agent-name": "edge" },
      },
      "stands for the agent edge",
    ],
    [
      "one of an agent that lost its label",
      { server: "https://proxy?agentName=edge" },
      "has a query or a fragment",
    ],
    [
      "AWS",
      { config: { awsAuthConfig: { clusterName: canary } } },
      "config.awsAuthConfig needs Argo CD's own",
    ],
    ["a plugin", { config: { execProviderConfig: { command: "aws", env: { A: canary } } } }, "--allow-exec"],
    [
      "insecure with an authority",
      { config: { bearerToken: canary, tlsClientConfig: { insecure: true, caData: certificate } } },
      "(insecure)",
    ],
    ["no credentials", { config: {} }, "it has no credentials"],
    ["a text for a config", { config: canary }, "config is no JSON object"],
    [
      "a garbage authority",
      { config: { bearerToken: canary, tlsClientConfig: { caData: garbage } } },
      "no certificate",
    ],
    ["a garbage proxy", { config: { bearerToken: canary, proxyUrl: canary } }, "its proxy is no"],
    ["no server", { server: "" }, "it has no server"],
  ])("%s", (_what, written, why) => {
    const access = accessOf(written);
    expect(access).toMatchObject({ type: "unusable", why: expect.stringContaining(why) });
    expect(access.type === "unusable" && access.why.startsWith("Secret argocd/cluster-a: ")).toBe(true);
    for (const trace of traces()) expect(JSON.stringify(access)).not.toContain(trace);
  });

  test("broken JSON, of which nothing is repeated", () => {
    const secret = secretOf({});
    const config = Buffer.from(`{"bearerToken":"${canary}`).toString("base64");
    const access = accessOfArgoSecret({ ...secret, content: { ...secret.content, config } }, "a", {
      hub,
      allowExec: [],
      allowLoopbackHttp: false,
    });
    expect(access).toEqual({
      type: "unusable",
      why: "Secret argocd/cluster-a: config is no JSON object; expected the one that argocd cluster add writes",
    });
  });

  test("one that Argo CD skips is paused", () => {
    const skip = "argocd.argoproj.io/skip-reconcile";
    expect(accessOf({ annotations: { [skip]: "true" } })).toMatchObject({ type: "paused" });
    expect(accessOf({ annotations: { [skip]: "false" } })).toMatchObject({ type: "usable" });
  });
});
