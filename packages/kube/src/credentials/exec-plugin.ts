import { spawn } from "node:child_process";
import { env, kill } from "node:process";
import { jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";
import type { Cluster } from "@kubernetes/client-node";
import { text } from "../json.ts";
import { shownCommand } from "./exec-policy.ts";

/** What an exec plugin gave, or why it gave nothing: never in its own words, for it may say what it knows. */
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
 * Starts the exec plugin of a kubeconfig's user. client-node would wait for it without end, have no way to stop it, and pass on
 * what it writes to stderr.
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
  const given = { ...Object.fromEntries(variables), KUBERNETES_EXEC_INFO: execInfo(exec, cluster) };
  // What cannot even be tried (E2BIG) is thrown, and not told as the rest.
  const ran = await runPlugin(command, args, given, signal).catch((error: unknown) => ({
    failed: errorCodeOf(error),
  }));
  return "failed" in ran ? { problem: `${named} failed${ran.failed}` } : credentialOf(ran.output);
}

/**
 * What a plugin is told, as client-go does: which version of the protocol it is asked in, that nobody sits there to answer, and, if it
 * wants to know, of which cluster (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats).
 */
function execInfo(exec: unknown, cluster: Cluster | null): string {
  const wants = jsonField(exec, "provideClusterInfo") === true && cluster !== null;
  const clusterInfo = wants && {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.skipTLSVerify,
    "certificate-authority-data": cluster.caData,
    "proxy-url": cluster.proxyUrl,
  };
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion: text(exec, "apiVersion") || "client.authentication.k8s.io/v1",
    spec: { interactive: false, ...(clusterInfo === false ? {} : { cluster: clusterInfo }) },
  });
}

function runPlugin(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly output: string } | { readonly failed: string }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // In a group of its own, so that what the plugin has started ends with it. It sees what we see, as with kubectl.
    const child = spawn(command, args, {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...env, ...variables },
    });
    const stop = (): void => {
      try {
        if (child.pid !== undefined) kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
      end({ failed: "" });
    };
    const end = (how: { readonly output: string } | { readonly failed: string }): void => {
      signal.removeEventListener("abort", stop);
      resolve(how);
    };
    // First: an error that nobody waits for would end us all. And where no pipe could be made there is none to read from.
    child.on("error", (error) => end({ failed: errorCodeOf(error) }));
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > answerMaxBytes) stop();
      else chunks.push(chunk);
    });
    child.on("close", (code) => {
      if (code === 0) end({ output: Buffer.concat(chunks).toString("utf8") });
      else end({ failed: code === null ? "" : ` (exit code ${code})` });
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
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
