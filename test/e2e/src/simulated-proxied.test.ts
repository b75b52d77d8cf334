import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { expect, test } from "vitest";
import { auto, reads, Site } from "./site.ts";

/** Passes on what asks for a tunnel, and nothing else. */
async function startTunnels(): Promise<
  AsyncDisposable & { readonly url: string; readonly asked: Set<string> }
> {
  const asked = new Set<string>();
  const server = createServer((_, answer) => answer.writeHead(405).end());
  server.on("connect", ({ url = "" }, near) => {
    asked.add(url);
    const { hostname, port } = new URL(`tcp://${url}`);
    const far = connect(Number(port), hostname, () =>
      near.write("HTTP/1.1 200 Connection established\r\n\r\n"),
    );
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

test("a cluster behind a proxy is watched and rolled through it", async () => {
  await using cluster = await startSimCluster({ name: "behind", tls: true });
  await using tunnels = await startTunnels();
  const directory = mkdtempSync(join(tmpdir(), "fr-proxied-"));
  const kubeconfig = join(directory, "kubeconfig");
  const direct = cluster.kubeconfig();
  writeFileSync(kubeconfig, direct.replace(/^( +)server: .*/m, `$&\n$1proxy-url: ${tunnels.url}`));
  const client = new ApiClient({ url: cluster.url, token: cluster.token, ca: cluster.certificatePem ?? "" });
  const at = await Site.make(client, "proxied");
  await at.configMap("settings", { v: "A" });
  await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  {
    await using product = startProduct({
      kubeconfig,
      args: ["--namespace", at.namespace, "--debounce", "500ms"],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.settlesAt("Deployment", "api", 1);
  }
  expect([...tunnels.asked]).toEqual([new URL(cluster.url).host]);
  rmSync(directory, { recursive: true, force: true });
});
