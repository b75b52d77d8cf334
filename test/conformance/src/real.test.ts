import type { ControlPlane } from "@fleet-reloader/control-plane/control-plane";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { afterAll, beforeAll } from "vitest";
import { checkAll } from "./suite.ts";

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({ users: ["limited"] });
});

afterAll(() => cluster.stop());

checkAll(() => ({
  url: cluster.url,
  token: cluster.adminToken,
  limitedToken: cluster.user("limited").token,
  ca: cluster.caPem,
  expireHistory,
}));

/** etcd forgets, then the API server, whose memory would answer otherwise. */
async function expireHistory(): Promise<void> {
  const { body } = await cluster.request({ method: "GET", path: "/api/v1/namespaces?limit=1" });
  const version = /"resourceVersion":\s*"(\d+)"/.exec(JSON.stringify(body))?.[1];
  const compaction = await fetch(`${cluster.etcdUrl}/v3/kv/compaction`, {
    method: "POST",
    body: JSON.stringify({ revision: version }),
  });
  if (!compaction.ok) throw new Error(`compaction: ${await compaction.text()}`);
  await cluster.restartApiServer("SIGKILL");
}
