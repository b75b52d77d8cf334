import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { ensureSecret } from "./owned-secret.ts";

const ref = { namespace: "default", name: "ours", key: "mark.key" };
const { signal } = new AbortController();

async function startHub() {
  const cluster = await startSimCluster({ controllers: false });
  const secrets = { apiGroups: [""], resources: ["secrets"] };
  // The rights of the chart: `create` cannot be restricted to a name.
  cluster.addUser("product", [
    { ...secrets, verbs: ["create"] },
    { ...secrets, resourceNames: [ref.name], verbs: ["get"] },
  ]);
  const target = targetOf(cluster.kubeconfig("product"));
  const connect = () => new Connection({ target, clock: systemClock, userAgent: "test" });
  const connections = [connect(), connect(), connect()];
  return {
    cluster,
    connections,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test("a Secret is made once, whoever asks at the same time, and is read from then on", async () => {
  await using hub = await startHub();
  let made = 0;
  const make = () => `key ${++made}\n`;
  const all = await Promise.all(hub.connections.map((each) => ensureSecret(each, ref, make, signal)));
  expect(new Set(all).size).toBe(1);
  const [connection] = hub.connections;
  if (connection === undefined) throw new Error("there is no connection");
  expect(await ensureSecret(connection, ref, make, signal)).toBe(all[0]);
});

test("a Secret without the key is left as it is, and refused with the mend", async () => {
  await using hub = await startHub();
  const [connection] = hub.connections;
  if (connection === undefined) throw new Error("there is no connection");
  await ensureSecret(connection, ref, () => "theirs", signal);
  await expect(
    ensureSecret(connection, { ...ref, key: "other" }, () => "ours", signal),
  ).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringMatching(/^Secret default\/ours has no key other; add it/),
  });
  expect(await ensureSecret(connection, ref, () => "ours", signal)).toBe("theirs");
});

test("without the right to read it nothing is made", async () => {
  await using hub = await startHub();
  const [connection] = hub.connections;
  if (connection === undefined) throw new Error("there is no connection");
  await expect(
    ensureSecret(connection, { ...ref, name: "another" }, () => "ours", signal),
  ).rejects.toMatchObject({ code: "kube.forbidden" });
});
