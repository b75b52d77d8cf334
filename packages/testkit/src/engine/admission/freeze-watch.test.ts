import { FreezeWatch } from "@fleet-reloader/engine/admission/freeze-watch";
import type { FrozenNow } from "@fleet-reloader/engine/admission/freezes";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { CountingMeter } from "../../memory/counting-meter.ts";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MemoryFreezes } from "../../memory/memory-freezes.ts";

function doubles() {
  return {
    clock: new ManualClock(),
    log: new CollectedLog(),
    meter: new CountingMeter(),
    freezes: new MemoryFreezes(),
  };
}

test("an unreadable document is reported within seconds, although nothing is due", async () => {
  const { clock, log, meter, freezes } = doubles();
  const watch = new FreezeWatch({ freezes, clock, log, meter });
  const lifetime = new AbortController();
  const running = watch.run(lifetime.signal);
  await clock.advance(5000);
  expect([watch.notes, meter.count("freezes readable")]).toEqual([[], 1]);
  freezes.unreadable = "freezes.yaml was there and is gone";
  await clock.advance(15_000);
  expect(watch.notes).toEqual([
    "freezes cannot be read, and nothing is rolled: freezes.yaml was there and is gone",
  ]);
  expect(meter.count("freezes readable")).toBe(0);
  expect(log.messages("error")).toEqual(["freezes cannot be read; nothing is rolled"]);
  freezes.unreadable = undefined;
  await clock.advance(5000);
  expect([watch.notes, meter.count("freezes readable")]).toEqual([[], 1]);
  expect(log.messages("info")).toEqual(["freezes can be read again"]);
  lifetime.abort();
  await running;
});

test("a reading that a stop cuts off is not reported as unreadable", async () => {
  const { clock, log, meter } = doubles();
  const reading = Promise.withResolvers<FrozenNow>();
  const watch = new FreezeWatch({ freezes: { now: () => reading.promise }, clock, log, meter });
  const lifetime = new AbortController();
  const running = watch.run(lifetime.signal);
  lifetime.abort();
  reading.resolve({ type: "unreadable", why: "freezes.yaml: Connection is closed." });
  await running;
  expect([log.messages("error"), watch.notes]).toEqual([[], []]);
});

test("a freeze of an unregistered cluster is reported with the name probably meant", async () => {
  const { clock, log, meter, freezes } = doubles();
  const registered = [{ name: "nova", labels: {}, id: "uid-1" }];
  const watch = new FreezeWatch({ freezes, clock, log, meter, registered: () => registered });
  freezes.freezes = [{ cluster: "Nova" }, { cluster: "nova" }, { cluster: "uid-1" }, {}].map((scope) => ({
    ...{ scope, reason: "release", by: "ann" },
  }));
  const lifetime = new AbortController();
  const running = watch.run(lifetime.signal);
  await clock.advance(30_000);
  const line = "the freeze of cluster Nova covers nothing: no cluster is called Nova; did you mean nova?";
  expect(watch.notes).toEqual([line]);
  expect(log.messages("warn")).toEqual([line]);
  registered.push({ name: "Nova", labels: {}, id: "uid-2" });
  await clock.advance(10_000);
  expect(watch.notes).toEqual([]);
  lifetime.abort();
  await running;
});

test("a freeze by a registration that stands by is reported with the one that serves", async () => {
  const { clock, log, meter, freezes } = doubles();
  const registered = [
    { name: "nova", labels: {}, id: "uid-1" },
    { name: "nova-again", labels: {}, id: "uid-1", status: { state: "Alias", why: [] } },
  ] as const;
  const watch = new FreezeWatch({ freezes, clock, log, meter, registered: () => registered });
  freezes.freezes = [{ scope: { cluster: "nova-again" }, reason: "release", by: "ann" }];
  const lifetime = new AbortController();
  const running = watch.run(lifetime.signal);
  await clock.advance(30_000);
  expect(watch.notes).toEqual([
    "the freeze of cluster nova-again covers nothing: no cluster is served by the registration nova-again; did you mean nova?",
  ]);
  lifetime.abort();
  await running;
});
