import { createServer } from "node:http";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { RevisionProbe } from "./revision-probe.ts";

/** A server with these revisions, one for each path, and the requests it received; a revision of 0 is an error. */
async function startProbed(revisions: Map<string, number>) {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    const path = url.slice(1);
    const revision = revisions.get(path) ?? 0;
    response.writeHead(revision === 0 ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ metadata: { resourceVersion: String(revision) } }), () => asked.push(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const target = targetOf(renderKubeconfig({ clusterName: "c", userName: "u", url, token: "t" }));
  const connection = new Connection({ target, clock: systemClock, userAgent: "test" });
  const clock = new ManualClock();
  const probe = new RevisionProbe({ connection, clock, log: new CollectedLog() });
  const wentBack: string[] = [];
  return {
    asked,
    wentBack,
    watch: (path: string, seen: string) =>
      probe.add({ path: `/${path}`, seen: () => seen, wentBack: () => wentBack.push(path) }),
    async minute(): Promise<void> {
      const before = asked.length;
      await clock.advance(60_000);
      await until("it has been asked", () => asked.length > before);
      await until("it has been heard", () => clock.sleeping > 0);
    },
    clock,
    async [Symbol.asyncDispose]() {
      await connection.close();
      server.close();
    },
  };
}

test("one watch a minute is probed, in turn, and none that has ended", async () => {
  await using world = await startProbed(new Map(["a", "b", "c"].map((path) => [path, 10])));
  world.watch("a", "10");
  const endOfB = world.watch("b", "9");
  world.watch("c", "10");
  for (let minute = 0; minute < 4; minute += 1) await world.minute();
  expect(world.asked).toEqual(["a", "b", "c", "a"]);
  endOfB();
  for (let minute = 0; minute < 2; minute += 1) await world.minute();
  expect(world.asked.slice(4)).toEqual(["c", "a"]);
  expect(world.wentBack).toEqual([]);
});

test("when one went back the others are probed at once, each once; another etcd is not", async () => {
  const revisions = new Map(["a", "b", "elsewhere"].map((path) => [path, 1000]));
  await using world = await startProbed(revisions);
  world.watch("a", "1000");
  world.watch("b", "999");
  world.watch("elsewhere", "1000");
  revisions.set("a", 90).set("b", 90);
  await world.minute();
  await until("all are asked about", () => world.asked.length >= 3);
  expect(world.wentBack).toEqual(["a", "b"]);
});

test("a probe that failed says nothing, and the next one comes in its time", async () => {
  const revisions = new Map([["a", 0]]);
  await using world = await startProbed(revisions);
  world.watch("a", "10");
  await world.minute();
  expect(world.wentBack).toEqual([]);
  revisions.set("a", 9);
  await world.minute();
  await until("it is known", () => world.wentBack.length > 0);
});

test("without a watch nothing is asked, and with the next one it begins anew", async () => {
  await using world = await startProbed(new Map([["a", 10]]));
  world.watch("a", "10")();
  await world.clock.advance(600_000);
  expect(world.asked).toEqual([]);
  world.watch("a", "10");
  await world.minute();
  expect(world.asked).toEqual(["a"]);
});
