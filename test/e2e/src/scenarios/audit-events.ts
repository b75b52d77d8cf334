import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { expect, test } from "vitest";
import { sendEvents } from "../send-events.ts";
import { auto, reads, Site } from "../site.ts";

const token = "a-token-of-the-cluster-nova";
const { certificatePem, keyPem } = createLoopbackCertificate();

/** Clusters whose API server reports its writes. */
export function auditEventTests(): void {
  test.concurrent("a change that only an audit event tells of rolls; nothing is watched", async () => {
    const home = mkdtempSync(join(tmpdir(), "fr-audit-"));
    try {
      await using nova = await startSimCluster({ name: "nova" });
      const at = await Site.make(new ApiClient({ url: nova.url, token: nova.token }), "audited");
      await at.configMap("settings", { v: "A" });
      await at.workload("Deployment", "app", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
      writeFileSync(join(home, "nova"), nova.kubeconfig());
      const port = await pickFreePort();
      await using product = startProduct({ kubeconfig: join(home, "nova"), args: auditArgs(home, port) });
      await product.ready();
      await at.adopted("Deployment", "app");
      await at.change("ConfigMap", "settings", { v: "B" });
      const listener = { port, token, ca: certificatePem };
      const events = eventListOf(at.namespace);
      expect(await sendEvents({ ...listener, token: "another-token" }, events)).toBe(401);
      expect(await sendEvents(listener, {})).toBe(400);
      expect(await sendEvents(listener, events)).toBe(200);
      await at.settlesAt("Deployment", "app", 1, { quietMs: 600 });
      const metrics = await (await fetch(`${await product.healthUrl()}/metrics`)).text();
      expect(metrics).toContain('fleet_reloader_audit_events_total{cluster="nova",result="hint"} 1');
      const verbs = [...nova.requests.keys()].map((call) => call.split(" ")[0]);
      expect(new Set(verbs)).toContain("list");
      expect(new Set(verbs)).not.toContain("watch");
      expect(await product.stop()).toBe(0);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
}

function auditArgs(home: string, port: number): readonly string[] {
  const file = (name: string, content: string): string => {
    writeFileSync(join(home, name), content, { mode: 0o600 });
    return join(home, name);
  };
  const hash = createHash("sha256").update(token).digest("hex");
  return [
    ...["--debounce", "200ms", "--event-source", "audit", "--audit-listen-address", `127.0.0.1:${port}`],
    ...[
      "--audit-tls-cert-file",
      file("tls.crt", certificatePem),
      "--audit-tls-key-file",
      file("tls.key", keyPem),
    ],
    ...["--audit-token-file", file("tokens", `nova sha256:${hash}\n`)],
  ];
}

/** What an API server sends of a change of the ConfigMap `settings`, at the level Metadata. */
function eventListOf(namespace: string): object {
  const now = new Date().toISOString();
  const event = {
    level: "Metadata",
    auditID: "4f4b1d5e-5f1c-4d5c-8d0e-0c6f6f1a2b3c",
    stage: "ResponseComplete",
    requestURI: `/api/v1/namespaces/${namespace}/configmaps/settings?fieldManager=kubectl-edit`,
    verb: "patch",
    user: { username: "ann@example.org", groups: ["system:authenticated"] },
    objectRef: { resource: "configmaps", namespace, name: "settings", apiVersion: "v1" },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: now,
    stageTimestamp: now,
  };
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items: [event] };
}
