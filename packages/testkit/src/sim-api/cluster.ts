import { randomUUID } from "node:crypto";
import type { AccessRule } from "./auth/rules.ts";
import { ADMIN, UserDirectory } from "./auth/users.ts";
import { type ClusterControl, createClusterControl } from "./cluster-control.ts";
import { Dependents } from "./controllers/dependents.ts";
import { startGarbageCollection } from "./controllers/garbage.ts";
import { startWorkloadControllers } from "./controllers/workloads.ts";
import { createLoopbackCertificate } from "./http/certificate.ts";
import { Listener } from "./http/listener.ts";
import { createApiServer, type LatencySettings } from "./http/server.ts";
import { type RequestCount, RequestCounters } from "./instruments/request-counters.ts";
import { type FailureScript, ScriptedFailures } from "./instruments/scripted-failures.ts";
import { WriteLog, type WriteRecord } from "./instruments/write-log.ts";
import { renderKubeconfig } from "./kubeconfig.ts";
import { builtInTypes, customType, type ResourceType } from "./objects/resource-types.ts";
import { WatchHub } from "./read/watch-hub.ts";
import { Registry } from "./store/registry.ts";
import { ObjectStore } from "./store/store.ts";

export interface SimClusterOptions {
  /** Names the kubeconfig's context. */
  readonly name?: string;
  /** 0 or absent: a free one. */
  readonly port?: number;
  /** HTTPS with a certificate made for the occasion. kubectl sends a token over nothing less. */
  readonly tls?: boolean;
  /** Workload controllers; deletion of namespaces and of orphans always works. */
  readonly controllers?: boolean;
  /** Until the pods of a new template are ready. */
  readonly rolloutMs?: number;
  /** false: Jobs run for ever, as on a cluster without nodes, but for those with nothing to complete. */
  readonly jobsFinish?: boolean;
  /**
   * In a living cluster something is always written (leases), so that versions move on by themselves.
   * Here they do so before each round of bookmarks; false for a server on which really nothing happens.
   */
  readonly isAlive?: boolean;
  /** Between bookmarks on a watch that asked for them; the real server sends about one a minute. */
  readonly bookmarkMs?: number;
  /** Changes kept per resource; what is older answers 410. */
  readonly historyLimit?: number;
  /** How long a read waits for a version not reached yet, before its 504. */
  readonly tooLargeWaitMs?: number;
  /** Events that may wait for a slow watcher before its watch is closed. */
  readonly watchBufferMax?: number;
  /** Kinds as CustomResourceDefinitions would add them, such as Argo's Rollout. */
  readonly customResources?: readonly CustomResource[];
}

export interface CustomResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** A status subresource of its own, as most have; true unless said otherwise. */
  readonly hasStatus?: boolean;
}

export interface SimCluster extends ClusterControl, AsyncDisposable {
  readonly name: string;
  /** `http://127.0.0.1:port`; stays the same over `stop` and `start`. */
  readonly url: string;
  /** What to trust when `tls` was asked for. */
  readonly certificatePem: string | undefined;
  /** The admin's. */
  readonly token: string;
  /** The uid of `kube-system`: the cluster's identity. */
  readonly uid: string;
  /** The version of the latest change. */
  readonly resourceVersion: string;
  /** A kubeconfig for this user, admin unless said otherwise. */
  kubeconfig(user?: string): string;

  /** Serves one more kind from now on, as a CustomResourceDefinition would add it. */
  addCustomResource(custom: CustomResource): void;
  /** Adds or replaces a user; answers the token. Without rules everything is allowed. */
  addUser(name: string, rules?: readonly AccessRule[], token?: string): string;
  setRules(user: string, rules: readonly AccessRule[]): void;
  /** Its token is unknown from now on: 401. */
  removeUser(name: string): void;

  /** Every accepted mutation since the start or the last `resetCounters`. */
  readonly writes: readonly WriteRecord[];
  /** How often the pod template of this workload became another one. */
  templateChanges(kind: string, namespace: string, name: string): number;
  /** By `verb resource[/subresource]`, or `get /version`. */
  readonly requests: ReadonlyMap<string, RequestCount>;
  requestCount(verb: string, resource: string): RequestCount;
  readonly openWatches: number;
  resetCounters(): void;

  /** An outage: connections are reset and refused until `start`. The state is kept. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends all open watches in good order. */
  endWatches(): void;
  /** A bookmark now, to every watch that asked for them. */
  sendBookmarks(): void;
  /** All older versions answer 410 from now on. */
  expireHistory(): void;
  /** A restored backup: the state of then, open watches cut, versions given out again. */
  rewind(toResourceVersion: string): void;
  readonly latency: LatencySettings;
  failNext(script: FailureScript): void;
  clearFailures(): void;
  /** Pods of a new template get ready after this long. */
  setRolloutMs(rolloutMs: number): void;
  /** Its next rollouts hang until `releaseRollout`. */
  stallRollout(kind: string, namespace: string, name: string): void;
  releaseRollout(kind: string, namespace: string, name: string): void;
}

const DEFAULTS = {
  name: "sim",
  port: 0,
  tls: false,
  controllers: true,
  rolloutMs: 20,
  jobsFinish: true,
  isAlive: true,
  bookmarkMs: 60_000,
  historyLimit: 20_000,
  tooLargeWaitMs: 3_000,
  watchBufferMax: 50_000,
};

/** Starts a simulated API server on loopback. Any number of them live side by side in one process. */
export async function startSimCluster(options: SimClusterOptions = {}): Promise<SimCluster> {
  const settings = { ...DEFAULTS, ...options };
  const types: ResourceType[] = [...builtInTypes, ...(options.customResources ?? []).map(customType)];
  const typeOf = (kind: string): ResourceType => {
    const type = types.find((candidate) => candidate.kind === kind);
    if (type === undefined) throw new Error(`the simulator serves no ${kind}`);
    return type;
  };
  const namespaceType = typeOf("Namespace");
  const store = new ObjectStore({ types, historyLimit: settings.historyLimit, firstVersion: 1 });
  const log = new WriteLog();
  const registry = new Registry({ store, log, namespaceType });
  const dependents = new Dependents(store);
  const hub = new WatchHub(store);
  const users = new UserDirectory();
  const counters = new RequestCounters();
  const failures = new ScriptedFailures();
  const latency: LatencySettings = {};
  users.add(ADMIN, randomUUID());

  const garbage = startGarbageCollection({ store, registry, dependents, types, namespaceType });
  const workloads = settings.controllers
    ? startWorkloadControllers({ store, registry, dependents, typeOf, ...settings })
    : undefined;
  const control = createClusterControl({ registry, store, typeOf });
  for (const name of ["default", "kube-system"]) {
    control.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const uid = control.get("Namespace", "", "kube-system")?.metadata.uid ?? "";
  log.reset();

  const { tooLargeWaitMs, watchBufferMax } = settings;
  const certificate = settings.tls ? createLoopbackCertificate() : undefined;
  const serverDeps = {
    certificate,
    types,
    store,
    registry,
    hub,
    users,
    counters,
    failures,
    latency,
    tooLargeWaitMs,
    watchBufferMax,
  };
  const listener = new Listener(
    () => createApiServer(serverDeps),
    settings.tls ? "https" : "http",
    settings.port,
  );
  await listener.start();
  const sendBookmarks = (): void => {
    if (settings.isAlive) store.tick();
    hub.sendBookmarks();
  };
  const bookmarks = setInterval(sendBookmarks, settings.bookmarkMs);
  bookmarks.unref();

  return {
    ...control,
    name: settings.name,
    uid,
    latency,
    certificatePem: certificate?.certificatePem,
    get url() {
      return listener.url;
    },
    get token() {
      return users.tokenOf(ADMIN);
    },
    get resourceVersion() {
      return String(store.version);
    },
    get writes() {
      return log.records;
    },
    get requests() {
      return counters.snapshot();
    },
    get openWatches() {
      return hub.size;
    },
    kubeconfig: (user = ADMIN) =>
      renderKubeconfig({
        clusterName: settings.name,
        userName: user,
        url: listener.url,
        certificatePem: certificate?.certificatePem,
        token: users.tokenOf(user),
      }),
    addCustomResource: (custom) => {
      const type = customType(custom);
      store.add(type);
      types.push(type);
    },
    addUser: (name, rules, token = randomUUID()) => {
      users.add(name, token, rules);
      return token;
    },
    setRules: (user, rules) => users.setRules(user, rules),
    removeUser: (name) => users.remove(name),
    templateChanges: (kind, namespace, name) => log.templateChanges(kind, namespace, name),
    requestCount: (verb, resource) => counters.get(verb, resource),
    resetCounters: () => {
      log.reset();
      counters.reset();
    },
    stop: () => listener.stop(),
    start: () => listener.start(),
    endWatches: () => hub.endAll(),
    sendBookmarks,
    expireHistory: () => store.expireHistory(),
    rewind: (toResourceVersion) => {
      hub.endAll();
      store.rewind(Number(toResourceVersion));
      dependents.rebuild(types);
      workloads?.resync();
    },
    failNext: (script) => failures.add(script),
    clearFailures: () => failures.clear(),
    setRolloutMs: (rolloutMs) => {
      if (workloads !== undefined) workloads.pace.rolloutMs = rolloutMs;
    },
    stallRollout: (kind, namespace, name) => workloads?.pace.stall(kind, namespace, name),
    releaseRollout: (kind, namespace, name) => workloads?.pace.release(kind, namespace, name),
    [Symbol.asyncDispose]: async () => {
      clearInterval(bookmarks);
      workloads?.stop();
      garbage.stop();
      hub.close();
      await listener.stop();
    },
  };
}
