import { watcherConfig } from "@fleet-reloader/watcher/config";
import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const hub = await rendered(matrix["a hub that receives audit events"] ?? {});
const single = await rendered(matrix["one pod that receives audit events"] ?? {});

const pod = (objects: readonly Manifest[], name: string) =>
  at(the(objects, "Deployment", name), "spec", "template", "spec");
const argsOf = (objects: readonly Manifest[], name: string): readonly string[] => {
  const args = at(pod(objects, name), "containers", 0, "args");
  return Array.isArray(args) ? args.map(String) : [];
};
const auditFlags = (objects: readonly Manifest[], name: string) =>
  argsOf(objects, name).filter((arg) => /^--(audit|event)-/.test(arg));

describe("audit events", () => {
  test("come to the watchers of a hub, with certificate, authority and tokens mounted", () => {
    const flags = auditFlags(hub, "reloader-reloader-watcher");
    expect(flags).toEqual([
      "--event-source=both",
      "--audit-listen-address=:9443",
      "--audit-tls-cert-file=/etc/fleet-reloader-audit-tls/tls.crt",
      "--audit-tls-key-file=/etc/fleet-reloader-audit-tls/tls.key",
      "--audit-client-ca-file=/etc/fleet-reloader-audit-ca/ca.crt",
      "--audit-token-file=/etc/fleet-reloader-audit-tokens/tokens",
    ]);
    const known = Object.values(watcherConfig).map(({ meta }) => `--${meta.flag}`);
    for (const flag of flags) expect(known).toContain(flag.split("=")[0]);
    const text = JSON.stringify(pod(hub, "reloader-reloader-watcher"));
    for (const volume of ["audit-tls", "audit-ca", "audit-tokens"]) {
      expect(text).toContain(
        `{"name":"${volume}","mountPath":"/etc/fleet-reloader-${volume}","readOnly":true}`,
      );
      expect(text).toContain(`{"name":"${volume}","secret":{"secretName":"${volume}","defaultMode":288}}`);
    }
    expect(auditFlags(hub, "reloader-reloader-worker")).toEqual([]);
    expect(JSON.stringify(pod(hub, "reloader-reloader-worker"))).not.toContain("audit");
  });

  test("come through a Service of their own to the port of the container", () => {
    const service = the(hub, "Service", "reloader-reloader-watcher-audit");
    expect(service.spec).toMatchObject({
      type: "LoadBalancer",
      publishNotReadyAddresses: true,
      ports: [{ name: "https-audit", port: 9443, targetPort: "https-audit" }],
    });
    expect(at(service, "metadata", "annotations")).toEqual({ "example.com/internal": "true" });
    const labels = at(
      the(hub, "Deployment", "reloader-reloader-watcher"),
      "spec",
      "template",
      "metadata",
      "labels",
    );
    expect(labels).toMatchObject(Object(at(service, "spec", "selector")));
    const ports = at(pod(hub, "reloader-reloader-watcher"), "containers", 0, "ports");
    expect(ports).toContainEqual({ name: "https-audit", containerPort: 9443 });
  });

  test("are admitted from the peers that are named, and from nobody else", () => {
    const policy = the(hub, "NetworkPolicy", "reloader-reloader-watcher-audit");
    expect(at(policy, "spec", "policyTypes")).toEqual(["Ingress"]);
    expect(at(policy, "spec", "ingress")).toEqual([
      { ports: [{ port: "https-audit" }], from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] },
    ]);
    expect(JSON.stringify(the(hub, "NetworkPolicy", "reloader-reloader"))).not.toContain("audit");
  });

  test("come to the one pod of the standalone shape", () => {
    expect(auditFlags(single, "reloader-reloader")).toEqual([
      "--event-source=audit",
      "--audit-listen-address=:8443",
      "--audit-tls-cert-file=/etc/fleet-reloader-audit-tls/tls.crt",
      "--audit-tls-key-file=/etc/fleet-reloader-audit-tls/tls.key",
      "--audit-token-file=/etc/fleet-reloader-audit-tokens/tokens",
    ]);
    expect(at(the(single, "Service", "reloader-reloader-audit"), "spec", "type")).toBe("ClusterIP");
    expect(single.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });

  test.each([
    [{ enabled: true, tokenSecret: "tokens" }, "serverSecret is empty"],
    [{ enabled: true, serverSecret: "tls" }, "set fleetReloader.audit.tokenSecret or"],
    [{ enabled: true, eventSource: "hooks" }, "/fleetReloader/audit/eventSource"],
  ])("are refused where they cannot be received: %j", async (audit, why) => {
    expect(await refusal({ fleetReloader: { audit } })).toContain(why);
  });

  test("are received by nobody unless somebody asks for it", async () => {
    const objects = await rendered({ values: { fleetReloader: { audit: { tokenSecret: "tokens" } } } });
    expect(JSON.stringify(objects)).not.toContain("audit");
  });
});
