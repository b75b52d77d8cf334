import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { env, kill } from "node:process";
import type { Readable } from "node:stream";
import { jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";
import type { Cluster } from "@kubernetes/client-node";
import { text } from "../json.ts";
import { shownCommand } from "./exec-policy.ts";

/** The credential of an exec plugin, or why there is none. The reason never quotes the plugin, since its words may contain a secret. */
export type PluginAnswer = PluginCredential | { readonly problem: string };

export interface PluginCredential {
  readonly token: string;
  readonly certificate: string;
  readonly key: string;
  /** Undefined: it does not expire. */
  readonly expiresAtMs: number | undefined;
}

/** Certificates and tokens are a few KB. */
const answerMaxBytes = 1024 * 1024;

/**
 * Starts the exec plugin of a kubeconfig's user. client-node would wait without limit, could not stop the plugin, and would pass on
 * its stderr.
 */
export async function askPlugin(
  exec: unknown,
  cluster: Cluster | null,
  signal: AbortSignal,
): Promise<PluginAnswer> {
  const command = text(exec, "command");
  const args = jsonList(exec, "args").filter((arg) => typeof arg === "string");
  if (command === "") return { problem: "its plugin has no command" };
  const named = `its plugin ${shownCommand(command)}`;
  if (args.length < jsonList(exec, "args").length)
    return { problem: `${named} has an argument that is no text; put it in quotes` };
  const variables = jsonList(exec, "env").map((one) => [text(one, "name"), text(one, "value")]);
  const info = readInfo(exec, cluster);
  if ("problem" in info) return info;
  const given = { ...Object.fromEntries(variables), KUBERNETES_EXEC_INFO: info.text };
  // A failure to start (E2BIG) is thrown; every other failure is an error event.
  const ran = await runPlugin(command, args, given, signal).catch((error: unknown) => ({
    failed: errorCodeOf(error),
  }));
  return "failed" in ran ? { problem: `${named} failed${ran.failed}` } : credentialOf(ran.output);
}

function readInfo(
  exec: unknown,
  cluster: Cluster | null,
): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: execInfo(exec, cluster) };
  } catch (error) {
    return { problem: `certificate-authority ${cluster?.caFile} cannot be read${errorCodeOf(error)}` };
  }
}

/**
 * The plugin's input, as client-go writes it: the version of the protocol, that nobody can answer a prompt, and the cluster when the
 * plugin asks for it (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats).
 */
function execInfo(exec: unknown, cluster: Cluster | null): string {
  const wants = jsonField(exec, "provideClusterInfo") === true && cluster !== null;
  const clusterInfo = wants && {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.skipTLSVerify,
    "certificate-authority-data": authorityOf(cluster),
    "proxy-url": cluster.proxyUrl,
  };
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion: text(exec, "apiVersion") || "client.authentication.k8s.io/v1",
    spec: { interactive: false, ...(clusterInfo === false ? {} : { cluster: clusterInfo }) },
  });
}

function authorityOf({ caData, caFile }: Cluster): string | undefined {
  return caData ?? (caFile === undefined ? undefined : readFileSync(caFile).toString("base64"));
}

type PluginRun = { readonly output: string } | { readonly failed: string };

async function runPlugin(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PluginRun> {
  const { promise, resolve } = Promise.withResolvers<PluginRun>();
  // In a process group of its own, so that everything the plugin starts ends with it. It gets our environment, as with kubectl.
  const child = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...env, ...variables },
  });
  const stop = (): void => {
    killGroup(child.pid);
    resolve({ failed: "" });
  };
  // Listened to first: an error event without a listener ends this process. Without a pipe there is no stdout to read.
  child.on("error", (error) => resolve({ failed: errorCodeOf(error) }));
  const chunks = gatherOutput(child.stdout, stop);
  child.on("close", (code) => resolve(endedRun(code, chunks)));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return await promise.finally(() => signal.removeEventListener("abort", stop));
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) kill(-pid, "SIGKILL");
  } catch {
    // The process has ended by itself.
  }
}

/** The chunks that have arrived so far. Calls `tooLong` when they are more than an answer may have. */
function gatherOutput(stdout: Readable | null, tooLong: () => void): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerMaxBytes) tooLong();
    else chunks.push(chunk);
  });
  return chunks;
}

function endedRun(code: number | null, chunks: readonly Buffer[]): PluginRun {
  if (code === 0) return { output: Buffer.concat(chunks).toString("utf8") };
  return { failed: code === null ? "" : ` (exit code ${code})` };
}

function errorCodeOf(error: unknown): string {
  const code = text(error, "code");
  return code === "" ? "" : ` (${code})`;
}

function credentialOf(output: string): PluginAnswer {
  const answer = parseJson(output);
  if (answer === undefined) return { problem: "the answer of its plugin is not JSON" };
  const token = text(answer, "status", "token");
  const certificate = text(answer, "status", "clientCertificateData");
  if (token === "" && certificate === "")
    return { problem: "the answer of its plugin has neither a token nor a certificate" };
  const expiresAtMs = Date.parse(text(answer, "status", "expirationTimestamp"));
  return {
    token,
    certificate,
    key: text(answer, "status", "clientKeyData"),
    expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs,
  };
}
