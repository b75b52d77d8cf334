import { customResources } from "@fleet-reloader/testkit/custom-resources";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { afterAll, beforeAll } from "vitest";
import { checkAll } from "./suite.ts";

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
