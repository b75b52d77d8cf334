import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { type Command, type Component, startComponent } from "./component.ts";
import type { Lifeline } from "./lifeline.ts";
import { pollUntil } from "./poll.ts";
import { requestApi } from "./request.ts";

/** A first start takes seconds (README.md); this is for a machine that does much else at the time. */
const READY_TIMEOUT_MS = 120_000;

/** How an API server is told to go: politely, which lets it close its watches, or as in a crash. */
export type StopSignal = "SIGTERM" | "SIGKILL";

/** One API server that keeps its port, certificates and tokens over any number of stops and starts. */
export interface ApiServer {
  readonly url: string;
  readonly caPath: string;
  /** Undefined while it is stopped. */
  readonly pid: () => number | undefined;
  /** Returns when it is ready; does nothing when it runs. */
  readonly start: () => Promise<void>;
  readonly stop: (signal?: StopSignal) => Promise<void>;
}

/** What it needs; the files are written by the caller beforehand. */
export interface ApiServerSetup {
  readonly command: Command;
  readonly lifeline: Lifeline;
  readonly etcdUrl: string;
  readonly etcdPrefix: string;
  readonly tokenPath: string;
  /** Who asks whether it is ready. */
  readonly adminToken: string;
  readonly serviceAccountKeyPath: string;
  readonly flags: readonly string[];
  readonly log: (line: string) => void;
}

/** Only draws its port; `start` starts it. */
export async function createApiServer(setup: ApiServerSetup): Promise<ApiServer> {
  const port = await pickFreePort();
  const url = `https://127.0.0.1:${port}`;
  const certificateDirectory = join(setup.lifeline.directory, "certificates");
  // It makes this file itself: its certificate, followed by the authority that signed it.
  const caPath = join(certificateDirectory, "apiserver.crt");
  let running: Component | undefined;

  const start = async (): Promise<void> => {
    if (running?.pid() !== undefined) return;
    const component = await startComponent({
      name: "kube-apiserver",
      command: setup.command,
      lifeline: setup.lifeline,
      onUnexpectedEnd: setup.log,
      flags: apiServerFlags(setup, port, certificateDirectory),
    });
    running = component;
    await pollUntil({
      what: "kube-apiserver is ready",
      timeoutMs: READY_TIMEOUT_MS,
      giveUp: component.assertRunning,
      probe: async () => {
        const server = { url, caPem: await readFile(caPath, "utf8"), token: setup.adminToken };
        return (await requestApi(server, { path: "/readyz" })).status === 200 ? true : undefined;
      },
    });
  };
  return {
    url,
    caPath,
    pid: () => running?.pid(),
    start,
    stop: async (signal = "SIGTERM") => await running?.stop(signal),
  };
}

function apiServerFlags(
  setup: ApiServerSetup,
  port: number,
  certificateDirectory: string,
): readonly string[] {
  return [
    `--etcd-servers=${setup.etcdUrl}`,
    `--etcd-prefix=${setup.etcdPrefix}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    // Else it looks for an address on the default route, which a sandbox may not have.
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    `--cert-dir=${certificateDirectory}`,
    `--token-auth-file=${setup.tokenPath}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${setup.serviceAccountKeyPath}`,
    `--service-account-signing-key-file=${setup.serviceAccountKeyPath}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    // Nobody makes the "default" service accounts here, and pods must be creatable without one.
    "--disable-admission-plugins=ServiceAccount",
    // On SIGTERM, end open watches; without it they hold the server up for its request limit of 60 s.
    "--shutdown-watch-termination-grace-period=2s",
    "--allow-privileged=true",
    "--profiling=false",
    ...setup.flags,
  ];
}
