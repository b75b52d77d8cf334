import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { serveMethods } from "../child/serve.ts";
import type { SimMethods } from "./methods.ts";

/** The simulated API server in a process of its own, so that its CPU time is nobody else's. */
let cluster: SimCluster | undefined;

const methods: SimMethods = {
  async start({ controllers }) {
    cluster = await startSimCluster({ name: "bench", controllers });
    return { url: cluster.url, token: cluster.token, kubeconfig: cluster.kubeconfig() };
  },
  requests: () => cluster?.requests ?? new Map(),
};

serveMethods(methods);
