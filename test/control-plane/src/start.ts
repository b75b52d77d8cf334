import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ADMIN,
  CONTROLLERS,
  createServiceAccountKey,
  createUsers,
  tokenFile,
  type User,
  writeKubeconfigs,
} from "./access.ts";
import { createApiServer } from "./api-server.ts";
import { type Binaries, resolveBinaries } from "./binaries.ts";
import type { ControlPlane, ControlPlaneOptions } from "./control-plane.ts";
import { startControllers } from "./controllers.ts";
import { startEtcd } from "./etcd.ts";
import { writeFrontProxy } from "./front-proxy.ts";
import { createLifeline } from "./lifeline.ts";
import { requestApi } from "./request.ts";

/** A port drawn by two launchers at once is rare; three times in a row means something else is wrong. */
const START_TRIES = 3;

/** Every request once, when it is answered, without bodies: what a careful cluster sends to an audit sink. */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

/** Starts etcd, kube-apiserver and kube-controller-manager on loopback; returns once `/readyz` is well. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await resolveBinaries({ controllers: options.controllers ?? true, log: options.log });
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await launch(options, binaries);
    } catch (error) {
      const isPortTaken = error instanceof Error && error.message.includes("address already in use");
      if (!isPortTaken || tryNumber === START_TRIES) throw error;
      options.log?.("a port was taken meanwhile; starting anew on others");
    }
  }
}

async function launch(options: ControlPlaneOptions, binaries: Binaries): Promise<ControlPlane> {
  // Undone in reverse when a step throws; handed to the caller when all went well.
  await using steps = new AsyncDisposableStack();
  const log = options.log ?? (() => undefined);
  const users = createUsers(options.users ?? ["limited"]);
  const lifeline = steps.use(await createLifeline());
  const { directory } = lifeline;

  const etcd =
    options.etcdUrl === undefined ? await startEtcd({ command: binaries.etcd, lifeline, log }) : undefined;
  steps.defer(async () => await etcd?.component.stop("SIGKILL"));
  const etcdUrl = options.etcdUrl ?? etcd?.url ?? "";
  log(`etcd is ready at ${etcdUrl}`);

  const files = await writeApiServerFiles(directory, users, options.auditLog ?? false);
  const autoscaling = options.autoscaling ?? false;
  const proxyFlags = autoscaling ? await writeFrontProxy(directory) : [];
  const apiServer = await createApiServer({
    ...files,
    command: binaries.apiServer,
    lifeline,
    etcdUrl,
    etcdPrefix: options.etcdPrefix ?? "/registry",
    adminToken: users.find(({ name }) => name === ADMIN)?.token ?? "",
    flags: [...files.auditFlags, ...proxyFlags, ...(options.apiServerFlags ?? [])],
    log,
  });
  steps.defer(() => apiServer.stop("SIGKILL"));
  await apiServer.start();
  log(`kube-apiserver is ready at ${apiServer.url}`);

  const caPem = await readFile(apiServer.caPath, "utf8");
  const access = await writeKubeconfigs(directory, { url: apiServer.url, caPem }, users);
  const { kubeconfigPath } = access(CONTROLLERS);
  const controllers =
    binaries.controllers &&
    (await startControllers({ command: binaries.controllers, lifeline, kubeconfigPath, autoscaling, log }));
  steps.defer(async () => await controllers?.stop("SIGKILL"));

  const admin = access(ADMIN);
  const running = steps.move();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= running.disposeAsync();
    return stopping;
  };
  return {
    url: apiServer.url,
    etcdUrl,
    directory,
    caPath: apiServer.caPath,
    caPem,
    kubeconfigPath: admin.kubeconfigPath,
    adminToken: admin.token,
    auditLogPath: files.auditLogPath,
    user: access,
    request: (call) => requestApi({ url: apiServer.url, caPem, token: admin.token }, call),
    pids: () => ({
      etcd: etcd?.component.pid(),
      apiServer: apiServer.pid(),
      controllers: controllers?.pid(),
    }),
    stopApiServer: apiServer.stop,
    startApiServer: apiServer.start,
    restartApiServer: async (signal) => {
      await apiServer.stop(signal);
      await apiServer.start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface ApiServerFiles {
  readonly tokenPath: string;
  readonly serviceAccountKeyPath: string;
  readonly auditLogPath: string | undefined;
  readonly auditFlags: readonly string[];
}

async function writeApiServerFiles(
  directory: string,
  users: readonly User[],
  hasAuditLog: boolean,
): Promise<ApiServerFiles> {
  const tokenPath = join(directory, "tokens.csv");
  const serviceAccountKeyPath = join(directory, "service-account.pem");
  await writeFile(tokenPath, tokenFile(users), { mode: 0o600 });
  await writeFile(serviceAccountKeyPath, createServiceAccountKey(), { mode: 0o600 });
  if (!hasAuditLog) return { tokenPath, serviceAccountKeyPath, auditLogPath: undefined, auditFlags: [] };
  const policyPath = join(directory, "audit-policy.json");
  const auditLogPath = join(directory, "audit.log");
  await writeFile(policyPath, JSON.stringify(AUDIT_POLICY));
  const auditFlags = [`--audit-policy-file=${policyPath}`, `--audit-log-path=${auditLogPath}`];
  return { tokenPath, serviceAccountKeyPath, auditLogPath, auditFlags };
}
