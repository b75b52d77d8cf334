import {
  canary,
  certificate,
  garbage,
  kubeconfigOf,
  privateKey,
  traces,
} from "@fleet-reloader/testkit/beds/credentials";
import { describe, expect, test } from "vitest";
import { readKubeconfig } from "./kubeconfig-contexts.ts";
import type { Access } from "./registration.ts";

const origin = {
  named: "file /clusters/a.yaml",
  folder: "/clusters",
  allowExec: ["aws"],
  allowLoopbackHttp: false,
};

function read(content: string, from: Partial<typeof origin> = {}): ReadonlyMap<string, Access> {
  const result = readKubeconfig(content, { ...origin, ...from });
  if ("problem" in result) throw new Error(result.problem);
  return result.contexts;
}

function accessOf(
  how: { readonly cluster?: object; readonly user?: object },
  from: Partial<typeof origin> = {},
): Access | undefined {
  return read(kubeconfigOf({ one: how }), from).get("one");
}

function whyNot(how: { readonly cluster?: object; readonly user?: object }): string {
  const access = accessOf(how);
  return access?.type === "unusable" ? access.why : `it is ${access?.type}`;
}

describe("a context that can be used", () => {
  test("has its server, without the slash at the end, and its credentials", async () => {
    const access = accessOf({
      cluster: { server: "https://kube.example.com:6443/k8s/", "proxy-url": `http://u:${canary}@proxy:3128` },
    });
    expect(access).toMatchObject({
      type: "usable",
      target: {
        name: "one",
        server: "https://kube.example.com:6443/k8s",
        proxyUrl: `http://u:${canary}@proxy:3128`,
      },
    });
    if (access?.type !== "usable") return;
    const options: { headers?: Readonly<Record<string, unknown>> } = {};
    await access.target.config.applyToHTTPSOptions(options);
    expect(options.headers).toMatchObject({ Authorization: `Bearer ${canary}` });
  });

  test.each([
    ["a client certificate", { "client-certificate-data": certificate, "client-key-data": privateKey }],
    ["a name and a password", { username: "u", password: canary }],
    ["a plugin that is allowed", { exec: { apiVersion: "v1", command: "aws", args: ["eks"], env: null } }],
    ["a token file below the folder", { tokenFile: "tokens/a" }],
    ["files below the folder", { "client-certificate": "/clusters/a.crt", "client-key": "a.key" }],
    ["another name", { token: canary, as: "robot" }],
  ])("may have %s", (_what, user) => {
    expect(accessOf({ user })?.type).toBe("usable");
  });

  test.each(["http://127.0.0.1:8001", "http://localhost:8001", "http://[::1]:8001"])(
    "plain HTTP to this machine at %s needs permission, but no credentials",
    (server) => {
      const how = { cluster: { server }, user: {} };
      expect(accessOf(how, { allowLoopbackHttp: true })?.type).toBe("usable");
      expect(accessOf(how)).toEqual({
        type: "unusable",
        why: `file /clusters/a.yaml, context one: its server ${server} is plain HTTP on this machine; use https, or allow it with --allow-loopback-http`,
      });
    },
  );

  test("names files relative to its folder", () => {
    const access = accessOf({ user: { "client-certificate": "a.crt", "client-key": "a.key" } });
    const user = access?.type === "usable" ? access.target.config.getCurrentUser() : undefined;
    expect(user).toMatchObject({ certFile: "/clusters/a.crt", keyFile: "/clusters/a.key" });
  });
});

describe("the version", () => {
  const versionOf = (content: string): string | undefined => {
    const access = read(content).get("one");
    return access?.type === "usable" ? access.version : undefined;
  };

  test("is the same for the same address and credentials, whatever else the text says", () => {
    const plain = kubeconfigOf({ one: {} });
    const other = kubeconfigOf(
      { one: {}, two: {} },
      { preferences: { colors: true }, "current-context": "two" },
    );
    expect(versionOf(other)).toBe(versionOf(plain));
  });

  test.each([
    ["the server", { cluster: { server: "https://elsewhere" } }],
    ["the token", { user: { token: `${canary}-2` } }],
    ["the authority", { cluster: { "certificate-authority-data": certificate } }],
    ["the server's name", { cluster: { "tls-server-name": "kube" } }],
    ["the proxy", { cluster: { "proxy-url": "http://proxy:3128" } }],
  ])("is another with another of %s", (_what, how) => {
    expect(versionOf(kubeconfigOf({ one: how }))).not.toBe(versionOf(kubeconfigOf({ one: {} })));
  });
});

describe("a context that cannot be used says why", () => {
  test.each([
    ["no server", { cluster: { server: "" } }, "no server"],
    ["no scheme", { cluster: { server: "kube.example.com:6443" } }, "no address"],
    ["plain HTTP", { cluster: { server: "http://kube" } }, "plain HTTP and not on this machine"],
    [
      "a password in the server",
      { cluster: { server: `https://u:${canary}@kube` } },
      "a name or a password in it",
    ],
    ["a query", { cluster: { server: `https://kube/?agentName=${canary}` } }, "has a query or a fragment"],
    [
      "a strange proxy",
      { cluster: { "proxy-url": `ftp://${canary}@proxy` } },
      "its proxy is no http or https",
    ],
    [
      "a bare % in the login of the proxy",
      { cluster: { "proxy-url": `http://u:${canary}%off@proxy:3128` } },
      "has a % that begins no code; write %25 for a %",
    ],
    ["a number as token", { user: { token: 42 } }, "token is no text"],
    ["blanks in the token", { user: { token: `${canary} x` } }, "blanks or other characters"],
    ["no credentials", { user: {} }, "no credentials"],
    ["half a certificate", { user: { "client-certificate-data": certificate } }, "belong together"],
    ["half a login", { user: { username: "u" } }, "belong together"],
    [
      "a garbage certificate",
      { user: { "client-certificate-data": garbage, "client-key-data": privateKey } },
      "the client certificate is no certificate",
    ],
    [
      "a garbage key",
      { user: { "client-certificate-data": certificate, "client-key-data": garbage } },
      "the client key is no private key",
    ],
    [
      "a garbage authority",
      { cluster: { "certificate-authority-data": garbage } },
      "the certificate authority is no",
    ],
    [
      "an authority and insecure",
      { cluster: { "certificate-authority-data": certificate, "insecure-skip-tls-verify": true } },
      "(insecure)",
    ],
    ["a plugin", { user: { exec: { command: "gke", args: [canary] } } }, 'exec plugin "gke" is not allowed'],
    [
      "a plugin by its path",
      { user: { exec: { command: "/tmp/aws" } } },
      'exec plugin "/tmp/aws" is not allowed',
    ],
    ["a script", { user: { exec: { command: `echo ${canary}` } } }, "(its command is no name of a program)"],
    [
      "a plugin with a PATH of its own",
      { user: { exec: { command: "aws", env: [{ name: "PATH", value: `/tmp/${canary}` }] } } },
      "may not be given the variable PATH",
    ],
    [
      "a plugin with an argument that is no text",
      { user: { exec: { command: "aws", args: ["eks", { toString: 1 }] } } },
      'exec plugin "aws" has args[1], which is no text',
    ],
    [
      "a plugin with a variable that is no text",
      { user: { exec: { command: "aws", env: [{ name: "REGION", value: 1 }] } } },
      "has env[0].value, which is no text",
    ],
    [
      "a plugin that wants its cluster",
      { user: { exec: { command: "aws", provideClusterInfo: true } } },
      "provideClusterInfo, which is not supported",
    ],
    [
      "an auth provider",
      { user: { "auth-provider": { name: "oidc" }, token: canary } },
      "user's auth-provider",
    ],
    ["a token-file", { user: { "token-file": "/etc/passwd" } }, "user's token-file"],
    ["groups to be", { user: { token: canary, "as-groups": ["g"] } }, "user's as-groups"],
    [
      "our own token",
      { user: { tokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } },
      "tokenFile names a file outside of /clusters",
    ],
    ["a file beside the folder", { user: { tokenFile: "../clusters-b/token" } }, "outside of /clusters"],
    [
      "a foreign authority",
      { cluster: { "certificate-authority": "/etc/ca" } },
      "certificate-authority names a file",
    ],
  ])("%s", (_what, how, why) => {
    const said = whyNot(how);
    expect(said.startsWith("file /clusters/a.yaml, context one: ")).toBe(true);
    expect(said).toContain(why);
    for (const trace of traces()) expect(said).not.toContain(trace);
  });

  test("without a folder no file is read at all", () => {
    const access = readKubeconfig(kubeconfigOf({ one: { user: { tokenFile: "token" } } }), {
      named: "Secret a/b",
      allowExec: [],
      allowLoopbackHttp: false,
    });
    expect(access).toMatchObject({
      contexts: new Map([
        ["one", { type: "unusable", why: expect.stringContaining("tokenFile names a file; put") }],
      ]),
    });
  });

  test("and hides no other of the same text", () => {
    const contexts = read(
      kubeconfigOf(
        { good: {}, bad: { cluster: { server: "nowhere" } } },
        {
          users: [{ name: "good", user: { token: canary } }, { nameless: canary }, "no entry"],
        },
      ),
    );
    expect([...contexts].map(([name, { type }]) => [name, type])).toEqual([
      ["good", "usable"],
      ["bad", "unusable"],
    ]);
    expect(contexts.get("bad")).toMatchObject({ why: expect.stringContaining("its user is not defined") });
  });
});

const nested = Array.from({ length: 20 }, (_, at) => `- &a${at + 1} [${`*a${at}, `.repeat(10)}]`);

// Written out, aliases have any length: a few hundred bytes can stand for gigabytes.
test.each([
  ["lists of lists", ["- &a0 [a]", ...nested].join("\n"), "args[0], which is no text"],
  ["one long text many times", `- &a20 ${"x".repeat(10_000)}`, "of more than 64 KiB"],
])("aliases of YAML that stand for %s are refused before they are written out", (_what, anchors, why) => {
  const content = `
x:
${anchors}
clusters: [{ name: c, cluster: { server: "https://kube" } }]
users: [{ name: u, user: { exec: { command: aws, args: [${"*a20, ".repeat(20)}] } } }]
contexts: [{ name: one, context: { cluster: c, user: u } }]`;
  expect(readKubeconfig(content, origin)).toMatchObject({
    contexts: new Map([["one", { type: "unusable", why: expect.stringContaining(why) }]]),
  });
});

test.each([
  ["nothing", ""],
  ["blanks", " \n"],
  ["half of a text", `users: [{ name: a, user: { token: ${canary}`],
  ["a word", canary],
  ["a list", `[${canary}]`],
  ["a Secret's manifest", `kind: Secret\nstringData: { token: ${canary} }`],
  ["entries without contexts", `clusters: []\nusers: [{ name: ${canary} }]`],
])("%s is no kubeconfig, and nothing of it is repeated", (_what, content) => {
  const result = readKubeconfig(content, origin);
  expect(result).toMatchObject({ problem: expect.stringContaining("expected") });
  expect(JSON.stringify(result)).not.toContain(canary);
});
