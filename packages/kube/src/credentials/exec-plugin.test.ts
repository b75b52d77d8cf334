import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { askPlugin } from "./exec-plugin.ts";

const signal = new AbortController().signal;
const cluster = { name: "prod", server: "https://prod.example:6443", skipTLSVerify: false, caData: "Q0E=" };

/** A plugin whose token repeats its input, for a test to read. */
const echo = {
  apiVersion: "client.authentication.k8s.io/v1beta1",
  command: process.execPath,
  args: ["-e", "console.log(JSON.stringify({ status: { token: process.env.KUBERNETES_EXEC_INFO } }))"],
};

async function toldTo(exec: object, of: Cluster = cluster): Promise<unknown> {
  const answer = await askPlugin(exec, of, signal);
  return JSON.parse("token" in answer ? answer.token : "{}");
}

describe("an exec plugin is told", () => {
  test("in which version it is asked, and that nobody sits there", async () => {
    expect(await toldTo(echo)).toEqual({
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1beta1",
      spec: { interactive: false },
    });
  });

  test("of which cluster, if it wants to know", async () => {
    expect(await toldTo({ ...echo, provideClusterInfo: true })).toMatchObject({
      spec: { cluster: { server: "https://prod.example:6443", "certificate-authority-data": "Q0E=" } },
    });
  });
});

test("an exec plugin is told the authority of a cluster also where that is a file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fr-plugin-ca-"));
  const caFile = join(folder, "ca.crt");
  writeFileSync(caFile, "CA");
  const { caData: _, ...others } = cluster;
  const wanting = { ...echo, provideClusterInfo: true };
  expect(await toldTo(wanting, { ...others, caFile })).toMatchObject({
    spec: { cluster: { "certificate-authority-data": "Q0E=" } },
  });
  rmSync(folder, { recursive: true });
  expect(await askPlugin(wanting, { ...others, caFile }, signal)).toEqual({
    problem: `certificate-authority ${caFile} cannot be read (ENOENT)`,
  });
});

test("a plugin with more input than the system takes is reported by its code", async () => {
  const answer = await askPlugin({ ...echo, args: ["x".repeat(4 * 1024 * 1024)] }, cluster, signal);
  expect(answer).toEqual({ problem: expect.stringMatching(/^its plugin .* failed \(E2BIG\)$/) });
});

test("a plugin that lacks file descriptors to start does not end the process", () => {
  const starved = `
    const { askPlugin } = await import(${JSON.stringify(new URL("./exec-plugin.ts", import.meta.url).href)});
    const { openSync } = await import("node:fs");
    const waits = new AbortController().signal;
    const ask = () => askPlugin({ command: "true" }, null, waits);
    await ask();
    try {
      for (;;) openSync("/dev/null", "r");
    } catch {}
    console.log(JSON.stringify(await ask()));
  `;
  const script = 'ulimit -n 128; exec "$0" --input-type=module -e "$1"';
  const { stdout } = spawnSync("sh", ["-c", script, process.execPath, starved], { encoding: "utf8" });
  expect(JSON.parse(stdout || "{}")).toEqual({ problem: 'its plugin "true" failed (EMFILE)' });
});
