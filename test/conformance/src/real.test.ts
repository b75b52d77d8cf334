import { setTimeout } from "node:timers/promises";
import type { ControlPlane } from "@fleet-reloader/control-plane/control-plane";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import {
  customResourceDefinition,
  customResources as workloads,
} from "@fleet-reloader/testkit/custom-resources";
import { secretsStoreResources } from "@fleet-reloader/testkit/secrets-store";
import { afterAll, beforeAll } from "vitest";
import { checkAll } from "./suite.ts";

const customResources = [...workloads, ...secretsStoreResources];

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({ users: ["limited"] });
  await installCustomResources(cluster);
});

afterAll(() => cluster.stop());

checkAll(() => ({
  url: cluster.url,
  token: cluster.adminToken,
  limitedToken: cluster.user("limited").token,
  ca: cluster.caPem,
  expireHistory,
}));

/** Resolves when they are served: a definition that was just made is not yet. */
async function installCustomResources({ request }: ControlPlane): Promise<void> {
  for (const custom of customResources) {
    const body = customResourceDefinition(custom);
    await request({ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body });
  }
  for (const { group, version, plural } of customResources) {
    const path = `/apis/${group}/${version}/${plural}`;
    while ((await request({ method: "GET", path })).status !== 200) await setTimeout(50);
  }
}

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
