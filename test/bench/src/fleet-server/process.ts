import { setTimeout as wait } from "node:timers/promises";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { serveMethods } from "../child/serve.ts";
import type { RequestCount } from "../server/methods.ts";
import { Changes } from "./changes.ts";
import { handle } from "./handle.ts";
import { type Listeners, listen } from "./listeners.ts";
import { LogicalCluster } from "./logical-cluster.ts";
import type { Behaviour, FleetMethods } from "./methods.ts";
import { routeOf } from "./route.ts";

/** A whole fleet of API servers in one process: as many logical clusters as wanted, and no stored objects. */
const changes = new Changes();
const requests = new Map<string, RequestCount>();
let clusters: readonly LogicalCluster[] = [];
let listeners: Listeners | undefined;
let used = 0;
let portCount = 1;
/** Bookmarks come about once a minute, of one cluster after the other. */
const bookmarkEveryMs = 60_000;
/** In which annotations our product notes something on a workload. */
const noteAnnotations = "fleet-reloader.io/carried";

function behave(index: number, as: Behaviour): void {
  const cluster = clusters[index];
  if (cluster === undefined || cluster.behaviour === as) return;
  const silenced = as === "swallows" || cluster.behaviour === "swallows";
  cluster.behaviour = as;
  if (silenced || portCount > 1) listeners?.swallow(index % portCount, as === "swallows");
}

const methods: FleetMethods = {
  async start({ clusters: count, isTls, patchMs, isPortEach, ...shape }) {
    used = shape.used;
    portCount = isPortEach ? count : 1;
    clusters = Array.from(
      { length: count },
      (_, index) =>
        new LogicalCluster(index, { clusters: count, ...shape }, (...rolled) => changes.rolled(...rolled)),
    );
    const certificate = isTls ? createLoopbackCertificate() : undefined;
    listeners = await listen({
      ports: portCount,
      certificate,
      onRequest(request, response) {
        const route = routeOf(request.method ?? "GET", request.url ?? "/");
        const cluster = route && clusters[route.cluster];
        if (route === undefined || cluster === undefined) return void response.writeHead(404).end();
        const key = `${route.verb} ${route.resource}`;
        const before = requests.get(key)?.requests ?? 0;
        requests.set(key, { requests: before + 1, responseBytes: 0 });
        handle(route, cluster, { request, response, patchMs }).catch(() => response.destroy());
      },
    });
    const { urls } = listeners;
    let next = 0;
    setInterval(() => {
      clusters[next % count]?.sendBookmarks();
      next += 1;
    }, bookmarkEveryMs / count);
    return {
      urls: clusters.map(({ index }) => `${urls[index % portCount]}/c/${index}`),
      certificatePem: certificate?.certificatePem,
    };
  },
  behave({ clusters: indexes, as }) {
    for (const index of indexes) behave(index, as);
  },
  async change({ clusters: indexes, perSecond, count }) {
    const beganAt = performance.now();
    for (let made = 0; made < count; made += 1) {
      const early = beganAt + (made / perSecond) * 1000 - performance.now();
      if (early > 1) await wait(early);
      const index = indexes[made % indexes.length] ?? 0;
      const at = Math.floor(made / indexes.length) % used;
      // Two changes that one roll answers would leave one of them without an end.
      while (changes.isWaiting(index, at)) await wait(5);
      changes.made(index, at);
      clusters[index]?.changeConfigMap(at);
    }
  },
  async storm({ cluster: index, perSecond, seconds }) {
    const beganAt = performance.now();
    for (let made = 0; made < perSecond * seconds; made += 1) {
      const early = beganAt + (made / perSecond) * 1000 - performance.now();
      if (early > 1) await wait(early);
      clusters[index]?.changeConfigMap(made % used);
    }
  },
  waiting: (indexes) => changes.countWaiting(new Set(indexes)),
  outcome: (indexes) => changes.outcome(new Set(indexes)),
  forget() {
    changes.forget();
    requests.clear();
  },
  adopted: () => clusters.reduce((sum, cluster) => sum + cluster.countAnnotated(noteAnnotations), 0),
  openWatches: () => clusters.reduce((sum, cluster) => sum + cluster.openWatches, 0),
  sockets: () => listeners?.sockets() ?? 0,
  requests: () => requests,
};

serveMethods(methods);
