import type { ServerResponse } from "node:http";
import { ClusterGate } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { connectTo } from "../fixture/answering-server.ts";
import { startPlugin } from "../fixture/counting-plugin.ts";
import type { ConnectionOptions } from "./connection.ts";

const { signal } = new AbortController();

/** A gate before a cluster with one request under way. Its server answers when the test says so. */
async function begin(options: Partial<ConnectionOptions> = {}) {
  const clock = new ManualClock();
  const asked: ServerResponse[] = [];
  let heads = 0;
  const onCall = (): void => {
    heads += 1;
  };
  const world = await connectTo((_request, response) => void asked.push(response), {
    ...{ clock, onCall },
    ...options,
  });
  const gate = new ClusterGate({
    ...{ slots: 64, clock, random: () => 0, meter: new CountingMeter(), nameOf: (name: string) => name },
    reachOf: () => "reachable" as const,
    probedInMs: () => undefined,
    askedSinceMs: () => world.connection.askedSinceMs,
  });
  const enter = () => gate.admit("a", signal);
  await enter();
  const answer = async () => await until("the server was asked", () => asked[0]);
  const headCame = () => until("the head of the answer has come", () => heads === 1);
  return Object.assign(world, { clock, enter, answer, headCame });
}

const looksHung = { type: "hold", reason: "ClusterFailing" };

describe("a cluster looks hung", () => {
  test("while its server sends no answer", async () => {
    await using world = await begin();
    world.get().catch(() => undefined);
    await world.answer();
    await world.clock.advance(251);
    expect(await world.enter()).toMatchObject(looksHung);
  });

  test("while its server sends no more than the head of an answer", async () => {
    await using world = await begin();
    world.get().catch(() => undefined);
    (await world.answer()).writeHead(200).flushHeaders();
    await world.headCame();
    await world.clock.advance(251);
    expect(await world.enter()).toMatchObject(looksHung);
  });

  test("while its plugin gives no credentials", async () => {
    using plugin = startPlugin("https://127.0.0.1:1");
    plugin.hang();
    await using world = await begin({ target: plugin.target });
    world.get().catch(() => undefined);
    await until("the plugin runs", () => plugin.hungPid());
    await world.clock.advance(251);
    expect(await world.enter()).toMatchObject(looksHung);
  });
});

describe("a cluster does not look hung", () => {
  test("while its long answer goes on to arrive, until that stops", async () => {
    await using world = await begin();
    world.get().catch(() => undefined);
    const answer = await world.answer();
    for (const _ of [1, 2, 3]) {
      await world.clock.advance(200);
      answer.write(Buffer.alloc(16 * 1024, " "));
      await until("it has come", () => world.connection.askedSinceMs === world.clock.monotonic());
    }
    expect(await world.enter()).toMatchObject({ type: "go" });
    await world.clock.advance(251);
    expect(await world.enter()).toMatchObject(looksHung);
  });

  test("while a call waits for its admission, and once it is answered", async () => {
    await using world = await begin();
    const admitted = Promise.withResolvers<"go">();
    const call = { method: "PATCH", path: "/web", body: "{}", admit: () => admitted.promise } as const;
    const patched = world.connection.call(call, signal);
    await settled();
    await world.clock.advance(5000);
    expect(world.connection.askedSinceMs).toBeUndefined();
    admitted.resolve("go");
    (await world.answer()).end("{}");
    await patched;
    expect(world.connection.askedSinceMs).toBeUndefined();
  });
});
