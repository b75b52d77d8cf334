import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { selectTargets } from "../credentials/kubeconfig.ts";
import { isRunning, startPlugin } from "../fixture/counting-plugin.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Route } from "./route.ts";
import { ServerWaits } from "./transport/call-times.ts";

const forever = new AbortController().signal;
const access = { clusterName: "c", userName: "u", url: "https://127.0.0.1:1/k8s/", token: "first" };

function routeTo(target = targetOf(renderKubeconfig(access))) {
  const clock = new ManualClock();
  const route = new Route({ target, clock, callConnections: 1, waits: new ServerWaits(clock) });
  return Object.assign(route, { [Symbol.asyncDispose]: () => route.close() });
}

test("the credentials of one address are never sent to another", async () => {
  await using route = routeTo();
  const asked = route.way(forever);
  route.use(targetOf(renderKubeconfig({ ...access, url: "https://127.0.0.1:2", token: "second" })));
  expect(await asked).toMatchObject({
    origin: "https://127.0.0.1:2",
    identity: { headers: { authorization: "Bearer second" } },
  });
});

test("new credentials serve requests that wait for old ones, whose plugin is stopped", async () => {
  using plugin = startPlugin("https://127.0.0.1:1");
  plugin.hang();
  await using route = routeTo(plugin.target);
  const asked = route.way(forever);
  const pid = await until("the plugin runs", () => plugin.hungPid());
  route.use(targetOf(renderKubeconfig({ ...access, token: "second" })));
  expect((await asked).identity.headers).toEqual({ authorization: "Bearer second" });
  await until("the plugin is gone", () => !isRunning(pid));
});

test("connections survive another token, but not another address or TLS material", async () => {
  await using route = routeTo();
  const { pools } = await route.way(forever);
  const goBy = async (change: object) => {
    route.use(targetOf(renderKubeconfig({ ...access, ...change })));
    return (await route.way(forever)).pools;
  };
  expect(await goBy({ token: "second" })).toBe(pools);
  const { certificatePem } = createLoopbackCertificate();
  const trusting = await goBy({ certificatePem });
  expect(trusting).not.toBe(pools);
  expect(await goBy({ certificatePem, url: "https://127.0.0.1:2" })).not.toBe(trusting);
});

test("a certificate that is renewed between the reads of its files is read again", async () => {
  const dir = mkdtempSync(join(tmpdir(), "fr-route-"));
  const [before, after] = [createLoopbackCertificate(), createLoopbackCertificate()];
  const put = (name: string, text: string) => writeFileSync(join(dir, name), text);
  put("tls.crt", after.certificatePem);
  put("tls.key", before.keyPem);
  put(
    "config",
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user: { "client-certificate": "tls.crt", "client-key": "tls.key" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
  );
  await using route = routeTo(selectTargets([join(dir, "config")], [])[0]);
  await expect(route.way(forever)).rejects.toThrow("does not belong to");
  put("tls.key", after.keyPem);
  expect((await route.way(forever)).identity.tls.key).toBe(after.keyPem);
  rmSync(dir, { recursive: true });
});

test("what the connections are known by holds no private key", async () => {
  await using route = routeTo();
  expect((await route.way(forever)).identity.tlsKey).toMatch(/^[0-9a-f]{64}$/);
});
