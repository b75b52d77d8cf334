import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { text } from "../api/field.ts";
import type { BenchServer, ServerOptions } from "./bench-server.ts";
import { readRequestCounts } from "./prometheus.ts";

/** etcd and kube-apiserver, unmodified. Clients sign in as an administrator, whom its fair queuing exempts. */
export async function startRealServer({
  autoscaling = false,
  controllers,
}: ServerOptions): Promise<BenchServer> {
  const cluster = await startControlPlane({
    controllers,
    autoscaling,
    log: (line) => console.error(`· ${line}`),
  });
  const version = text((await cluster.request({ path: "/version" })).body, "gitVersion");
  const target = { url: cluster.url, token: cluster.adminToken, ca: cluster.caPem };
  const client = new ApiClient(target);
  const pids = Object.values(cluster.pids()).filter((pid) => typeof pid === "number");
  return {
    description: `real kube-apiserver ${version} and etcd, TLS, controllers ${controllers ? "on" : "off"}`,
    target,
    kubeconfigPath: cluster.kubeconfigPath,
    pids,
    requests: async () => readRequestCounts(String((await client.send("GET", "/metrics")).body)),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}
