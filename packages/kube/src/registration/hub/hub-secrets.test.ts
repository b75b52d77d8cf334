import { createServer, type ServerResponse } from "node:http";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { holds, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { ApiResources } from "../../discovery/api-resources.ts";
import { RevisionProbe } from "../../discovery/revision-probe.ts";
import { systemClock } from "../../fixture/system-clock.ts";
import { targetOf } from "../../fixture/targets-of.ts";
import { Connection } from "../../http/connection.ts";
import { type HubSecret, readSecret, secretStream } from "./hub-secrets.ts";
import { KeptObjects } from "./kept-objects.ts";

const metaOf = (name: string) => ({
  ...{ key: `clusters/${name}`, namespace: "clusters", name },
  labels: {},
  annotations: {},
});

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** A hub with this answer. */
async function startHub(answer: (path: string, response: ServerResponse) => void) {
  const server = createServer((request, response) => answer(request.url ?? "", response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const target = targetOf(renderKubeconfig({ clusterName: "c", userName: "u", url, token: "t" }));
  const clock = systemClock;
  const log = new CollectedLog();
  // More connections than reads at once, so that the connections do not limit the reads.
  const connection = new Connection({ target, clock, userAgent: "test", callConnections: 100 });
  return {
    hub: {
      ...{ target, connection, clock, log, random: () => 0.5 },
      probe: new RevisionProbe({ connection, clock, log }),
      resources: new ApiResources(connection),
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

test.each([
  [404, { error: "no backend" }],
  [200, { status: "login required" }],
])(
  "JSON of somebody else's (%d) is neither an absence nor a Secret without content",
  async (status, body) => {
    await using world = await startHub((_, response) => json(response, status, body));
    const read = readSecret(world.hub.connection, metaOf("a"), new AbortController().signal);
    await expect(read).rejects.toMatchObject({ code: "kube.malformed" });
  },
);

test("a Secret that the API server does not have is absent", async () => {
  await using world = await startHub((_, response) => json(response, 404, { kind: "Status", code: 404 }));
  expect(await readSecret(world.hub.connection, metaOf("a"), new AbortController().signal)).toBeUndefined();
});

// The deadline of a call includes its wait for a connection: of five hundred concurrent calls most would be too late.
test("many Secrets are read sixteen at a time", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const items = names.map((name) => ({ metadata: { namespace: "clusters", name, resourceVersion: "1" } }));
  const asked: { readonly name: string; readonly response: ServerResponse }[] = [];
  await using world = await startHub((path, response) => {
    const name = /\/secrets\/(\w+)/.exec(path)?.[1];
    if (name !== undefined) asked.push({ name, response });
    else if (path.includes("watch=")) response.writeHead(200).flushHeaders();
    else json(response, 200, { metadata: { resourceVersion: "1" }, items });
  });
  const kept = new KeptObjects<HubSecret>();
  const stop = new AbortController();
  const running = secretStream(world.hub, { isWanted: () => true }, (secret) => secret, kept).run(
    stop.signal,
    (state, why) => kept.stateChanged(state, why),
  );
  for (const count of [16, 16, 8]) {
    await until("a batch is asked for", () => asked.length >= count);
    await holds("no more are", 200, () => asked.length === count);
    for (const { name, response } of asked.splice(0))
      json(response, 200, { metadata: { namespace: "clusters", name, resourceVersion: "1" } });
  }
  await until("all are known", () => kept.isComplete);
  expect(kept.all).toHaveLength(40);
  stop.abort();
  await running;
});
