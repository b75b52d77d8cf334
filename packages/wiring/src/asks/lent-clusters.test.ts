import { Fault } from "@fleet-reloader/domain/fault";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { MemoryCluster } from "@fleet-reloader/testkit/memory/memory-cluster";
import { expect, test } from "vitest";
import type { ReachedCluster } from "./asked-clusters.ts";
import { type ConnectedTo, LentClusters } from "./lent-clusters.ts";

const { signal } = new AbortController();
const fiveMinutesMs = 300_000;

/** Clusters that record when they are connected and closed. */
function startLending(connectFirst: (called: string) => Promise<void> = async () => undefined) {
  const clock = new ManualClock();
  const events: string[] = [];
  const connect = async (called: string): Promise<ConnectedTo> => {
    events.push(`connect ${called}`);
    await connectFirst(called);
    const api = new MemoryCluster({ clock, cluster: `uid-${called}` });
    const cluster: ReachedCluster = {
      name: called,
      labels: {},
      namespaces: undefined,
      api,
      lists: api,
      serverSeconds: () => undefined,
    };
    return { cluster, close: async () => void events.push(`close ${called}`) };
  };
  return { clock, events, lent: new LentClusters({ connect, clock }) };
}

const nameOf = async ({ name }: ReachedCluster) => name;

test("questions to one cluster use one connection, and each answers its own", async () => {
  const { events, lent } = startLending();
  const both = [lent.ask("nova", nameOf, signal), lent.ask("nova", async () => 2, signal)];
  expect(await Promise.all(both)).toEqual(["nova", 2]);
  expect(await lent.ask("nova", nameOf, signal)).toBe("nova");
  expect(events).toEqual(["connect nova"]);
  expect([lent.nameOf("uid-nova"), lent.nameOf("uid-other")]).toEqual(["nova", "uid-other"]);
});

test("a connection ends after five minutes, and the next question connects anew", async () => {
  const { clock, events, lent } = startLending();
  await lent.ask("nova", nameOf, signal);
  await clock.advance(fiveMinutesMs - 1);
  expect(events).toEqual(["connect nova"]);
  await clock.advance(1);
  expect(events).toEqual(["connect nova", "close nova"]);
  expect(lent.nameOf("uid-nova")).toBe("uid-nova");
  await lent.ask("nova", nameOf, signal);
  expect(events).toEqual(["connect nova", "close nova", "connect nova"]);
});

test("a connection is not closed under a question", async () => {
  const { clock, events, lent } = startLending();
  const answer = Promise.withResolvers<string>();
  const asked = lent.ask("nova", () => answer.promise, signal);
  await clock.advance(2 * fiveMinutesMs);
  expect(events).toEqual(["connect nova"]);
  answer.resolve("late");
  expect(await asked).toBe("late");
  await settled();
  expect(events).toEqual(["connect nova", "close nova"]);
});

test.each([
  ["that the cluster does not answer", new Fault("kube.unreachable", "no route"), true],
  ["that is refused by the cluster", new Fault("kube.unauthorized", "renew the token"), true],
  [
    "about what is not there",
    refusedQuestion({ field: "name", value: "x", problem: "name: there is none", mend: "" }),
    false,
  ],
])("a question %s leads to a new connection: %s", async (_, fault, isNew) => {
  const { events, lent } = startLending();
  await expect(lent.ask("nova", () => Promise.reject(fault), signal)).rejects.toBe(fault);
  await lent.ask("nova", nameOf, signal);
  const again = isNew ? ["close nova", "connect nova"] : [];
  expect(events).toEqual(["connect nova", ...again]);
});

test("a cluster that is not registered is tried again with the next question", async () => {
  let isAway = true;
  const { events, lent } = startLending(async () => {
    if (isAway) throw new Fault("config.invalid", "no such cluster");
  });
  await expect(lent.ask("nova", nameOf, signal)).rejects.toThrow("no such cluster");
  isAway = false;
  expect(await lent.ask("nova", nameOf, signal)).toBe("nova");
  expect(events).toEqual(["connect nova", "connect nova"]);
});

test("a cluster that cannot be reached is refused in the same words for 10 s", async () => {
  const unreachable = new Fault("kube.unreachable", "no route");
  let isAway = true;
  const { clock, events, lent } = startLending(async () => {
    if (isAway) throw unreachable;
  });
  await expect(lent.ask("nova", nameOf, signal)).rejects.toBe(unreachable);
  isAway = false;
  await clock.advance(9999);
  await expect(lent.ask("nova", nameOf, signal)).rejects.toBe(unreachable);
  expect(events).toEqual(["connect nova"]);
  expect(await lent.ask("otech62", nameOf, signal)).toBe("otech62");
  await clock.advance(1);
  expect(await lent.ask("nova", nameOf, signal)).toBe("nova");
  await lent.close();
  expect(clock.sleeping).toBe(0);
});

test("whoever goes away does not wait for a connection, which serves the others", async () => {
  const connecting = Promise.withResolvers<void>();
  const { events, lent } = startLending(() => connecting.promise);
  const leaving = new AbortController();
  const left = lent.ask("nova", nameOf, leaving.signal);
  const stays = lent.ask("nova", nameOf, signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: "engine.aborted" });
  connecting.resolve();
  expect(await stays).toBe("nova");
  expect(events).toEqual(["connect nova"]);
});

test("of more than 32 connections the oldest ends, and none is left after the end", async () => {
  const { clock, events, lent } = startLending();
  const names = Array.from({ length: 33 }, (_, at) => `c${at}`);
  for (const name of names) await lent.ask(name, nameOf, signal);
  await settled();
  expect(events.filter((event) => event.startsWith("close"))).toEqual(["close c0"]);
  await lent.close();
  expect(events.filter((event) => event.startsWith("close"))).toHaveLength(33);
  expect(clock.sleeping).toBe(0);
});
