import { describe, expect, test } from "vitest";
import { askPlugin } from "./exec-plugin.ts";

const signal = new AbortController().signal;
const cluster = { name: "prod", server: "https://prod.example:6443", skipTLSVerify: false, caData: "Q0E=" };

/** A plugin whose token is what it was told, for a test to read. */
const echo = {
  apiVersion: "client.authentication.k8s.io/v1beta1",
  command: process.execPath,
  args: ["-e", "console.log(JSON.stringify({ status: { token: process.env.KUBERNETES_EXEC_INFO } }))"],
};

async function toldTo(exec: object): Promise<unknown> {
  const answer = await askPlugin(exec, cluster, signal);
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
