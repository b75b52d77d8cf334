import { customResources as workloads } from "@fleet-reloader/testkit/custom-resources";
import { secretsStoreResources } from "@fleet-reloader/testkit/secrets-store";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { afterAll, beforeAll } from "vitest";
import { checkAll } from "./suite.ts";

const customResources = [...workloads, ...secretsStoreResources];

let cluster: SimCluster;
let limitedToken: string;

beforeAll(async () => {
  // A real server closes a watch after some hundred unread events; the simulator's default is patient.
  cluster = await startSimCluster({ tls: true, watchBufferMax: 100, customResources });
  limitedToken = cluster.addUser("limited", []);
});

afterAll(() => cluster[Symbol.asyncDispose]());

checkAll(() => ({
  url: cluster.url,
  token: cluster.token,
  limitedToken,
  ca: cluster.certificatePem,
  expireHistory: async () => cluster.expireHistory(),
}));
