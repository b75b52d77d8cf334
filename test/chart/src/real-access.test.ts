import { dashboardConfig } from "@fleet-reloader/dashboard-service/config";
import { describe, expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";

const access = { existingSecret: "who", existingSecretKey: "who.yaml", tlsSecret: "page-cert" };
const guarded = { dashboardAddress: "0.0.0.0:8080", access };
const hub = { mode: "hub", hub: { dashboard: { enabled: true }, valkey: { enabled: true } } };
const netpol = { netpol: { enabled: true } };

function podOf(objects: readonly Manifest[], name: string): unknown {
  return at(the(objects, "Deployment", name), "spec", "template", "spec");
}

function textsAt(pod: unknown, ...path: readonly (string | number)[]): readonly string[] {
  const found = at(pod, ...path);
  return Array.isArray(found)
    ? found.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    : [];
}

const flags = [
  "--access-file=/etc/fleet-reloader-access/who.yaml",
  "--dashboard-address=0.0.0.0:8080",
  "--dashboard-tls-cert-file=/etc/fleet-reloader-page-tls/tls.crt",
  "--dashboard-tls-key-file=/etc/fleet-reloader-page-tls/tls.key",
];

describe("with an access file", () => {
  test.each([
    ["standalone", "reloader-reloader", { fleetReloader: guarded, reloader: netpol }],
    [
      "a hub",
      "reloader-reloader-dashboard",
      { fleetReloader: Object.assign({}, guarded, hub), reloader: netpol },
    ],
  ])("the page of %s is guarded, and others reach it", async (_, name, values) => {
    const objects = await rendered({ values });
    const pod = podOf(objects, name);
    const args = textsAt(pod, "containers", 0, "args");
    expect(args.filter((arg) => /^--(access|dashboard-)/.test(arg)).toSorted()).toEqual(flags);
    const known = Object.values(dashboardConfig).map(({ meta }) => meta.flag);
    for (const flag of flags) expect(known).toContain(/^--([a-z-]+)=/.exec(flag)?.[1]);
    const secrets = textsAt(pod, "volumes").join();
    for (const secret of ["who", "page-cert"]) expect(secrets).toContain(`"secretName":"${secret}"`);
    const mounts = textsAt(pod, "containers", 0, "volumeMounts").join();
    for (const folder of ["access", "page-tls"])
      expect(mounts).toContain(`"mountPath":"/etc/fleet-reloader-${folder}","readOnly":true`);
    expect(textsAt(pod, "containers", 0, "ports")).toContain('{"name":"dashboard","containerPort":8080}');
    const ingress = at(the(objects, "NetworkPolicy", "reloader-reloader"), "spec", "ingress", 0, "ports");
    expect(ingress).toEqual([{ port: "http" }, { port: "dashboard" }]);
  });

  test("only whoever serves the page gets it", async () => {
    const objects = await rendered({ values: { fleetReloader: Object.assign({}, guarded, hub) } });
    for (const name of ["reloader-reloader-watcher", "reloader-reloader-worker"])
      expect(JSON.stringify(podOf(objects, name))).not.toMatch(/access|page-tls|page-cert/);
    const names = textsAt(podOf(objects, "reloader-reloader-dashboard"), "containers", 0, "args").join();
    expect(names).toContain("reloader-reloader-dashboard.tools.svc");
  });
});

const oidc = {
  ...{
    issuerUrl: "https://issuer.example.org:8443/dex",
    clientId: "reloader",
    existingSecret: "oidc-client",
  },
  ...{ scopes: ["email", "groups"], caSecret: "issuer-ca" },
};
const forwardAuth = { clientCaSecret: "proxy-ca", proxyNames: ["oauth2-proxy"] };

test("people sign in with an issuer, or at a proxy, where the page is", async () => {
  const signIn = { dashboardAddress: "0.0.0.0:8080", access: Object.assign({ oidc, forwardAuth }, access) };
  const values = { fleetReloader: Object.assign({}, signIn, hub), reloader: netpol };
  const objects = await rendered({ values });
  const pod = podOf(objects, "reloader-reloader-dashboard");
  const args = textsAt(pod, "containers", 0, "args").filter((arg) => /^--(oidc|forward)/.test(arg));
  expect(args.toSorted()).toEqual([
    "--forward-auth-client-ca-file=/etc/fleet-reloader-proxy-ca/ca.crt",
    "--forward-auth-groups-header=X-Forwarded-Groups",
    "--forward-auth-proxy-names=oauth2-proxy",
    "--forward-auth-user-header=X-Forwarded-Email",
    "--oidc-ca-file=/etc/fleet-reloader-oidc-ca/ca.crt",
    "--oidc-client-id=reloader",
    "--oidc-client-secret-file=/etc/fleet-reloader-oidc/client-secret",
    "--oidc-groups-claim=groups",
    "--oidc-issuer-url=https://issuer.example.org:8443/dex",
    "--oidc-scopes=email,groups",
    "--oidc-username-claim=email",
  ]);
  const known = Object.values(dashboardConfig).map(({ meta }) => meta.flag);
  for (const arg of args) expect(known).toContain(/^--([a-z-]+)=/.exec(arg)?.[1]);
  const mounts = textsAt(pod, "containers", 0, "volumeMounts").join();
  for (const folder of ["oidc", "oidc-ca", "proxy-ca"])
    expect(mounts).toContain(`"mountPath":"/etc/fleet-reloader-${folder}","readOnly":true`);
  for (const name of ["reloader-reloader-watcher", "reloader-reloader-worker"])
    expect(JSON.stringify(podOf(objects, name))).not.toMatch(/oidc|forward-auth|proxy-ca/);
  const egress = at(the(objects, "NetworkPolicy", "reloader-reloader"), "spec", "egress");
  expect(JSON.stringify(egress)).toContain('{"ports":[{"port":8443}]}');
});

test("only a page of a hub on which people sign in may write freezes", async () => {
  const valkey = { enabled: true, usersPerRole: true };
  const own = { mode: "hub", hub: { dashboard: { enabled: true }, valkey } };
  const [guardedHub, readOnly] = await Promise.all(
    [Object.assign({}, guarded, own), own].map((fleetReloader) => rendered({ values: { fleetReloader } })),
  );
  const name = "reloader-reloader-dashboard";
  const urlOf = (objects: readonly Manifest[] = []) =>
    /redis:\/\/([a-z]+)/.exec(JSON.stringify(podOf(objects, name)))?.[1];
  expect([urlOf(guardedHub), urlOf(readOnly)]).toEqual(["operator", "dashboard"]);
  const role = the(guardedHub ?? [], "Role", `${name}-writes-freezes`);
  expect(at(role, "rules")).toEqual([
    { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: ["reloader-reloader-freezes"],
      verbs: ["patch"],
    },
  ]);
  const bound = the(guardedHub ?? [], "RoleBinding", `${name}-writes-freezes`);
  expect(at(bound, "subjects", 0, "name")).toBe(name);
  expect(JSON.stringify(readOnly)).not.toContain("writes-freezes");
});

test("without an access file the page of a hub is reached by nobody", async () => {
  const unguarded = { dashboardAddress: "0.0.0.0:8080" };
  const objects = await rendered({ values: { fleetReloader: Object.assign({}, unguarded, hub) } });
  const pod = podOf(objects, "reloader-reloader-dashboard");
  const args = textsAt(pod, "containers", 0, "args").filter((arg) => /^--(access|dashboard-)/.test(arg));
  expect(args).toEqual(["--dashboard-address=127.0.0.1:8080"]);
  expect(textsAt(pod, "containers", 0, "ports").join()).not.toContain("dashboard");
});
