import { auditEvent, eventList } from "@fleet-reloader/audit/fixture/audit-events";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { describe, expect, test } from "vitest";
import { createAuditReceiver } from "./audit-receiver.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;

function startReceiver() {
  const clock = new ManualClock();
  const log = new CollectedLog();
  const engaged = new Set<string>();
  const receive = createAuditReceiver({
    clusterNamed: (name) => (engaged.has(name) ? { cluster: name, labels: {} } : undefined),
    isServed: () => true,
    eventSource: "watch",
    hints: { add: async () => undefined },
    writes: { add: async () => undefined },
    clock,
    log,
    meter: new CountingMeter(),
  });
  return {
    clock,
    engaged,
    warned: () => log.lines.map(({ fields }) => fields),
    /** Sends every 10 s, like an API server whose batch was not accepted. */
    async sendFor(ms: number, name = "nova") {
      for (let past = 0; past <= ms; past += 10 * secondMs) {
        await receive(name, eventList(auditEvent()));
        await clock.advance(10 * secondMs);
      }
    },
  };
}

describe("events for a name that no engaged cluster has", () => {
  test("are warned of after a minute, and seldom", async () => {
    const bed = startReceiver();
    await bed.sendFor(50 * secondMs);
    expect(bed.warned()).toEqual([]);
    await bed.sendFor(9 * minuteMs);
    expect(bed.warned()).toEqual([{ cluster: "nova" }]);
    await bed.sendFor(10 * minuteMs);
    expect(bed.warned()).toEqual([{ cluster: "nova" }, { cluster: "nova" }]);
  });

  test("are warned of for each name", async () => {
    const bed = startReceiver();
    await bed.sendFor(2 * minuteMs);
    await bed.sendFor(2 * minuteMs, "vega");
    expect(bed.warned()).toEqual([{ cluster: "nova" }, { cluster: "vega" }]);
  });

  test("are not warned of when the cluster is engaged in the meantime", async () => {
    const bed = startReceiver();
    for (let round = 0; round < 5; round += 1) {
      bed.engaged.clear();
      await bed.sendFor(40 * secondMs);
      bed.engaged.add("nova");
      await bed.sendFor(0);
    }
    expect(bed.warned()).toEqual([]);
  });

  test("are not warned of when others received what came between", async () => {
    const bed = startReceiver();
    for (let restart = 0; restart < 5; restart += 1) {
      await bed.sendFor(40 * secondMs);
      await bed.clock.advance(60 * minuteMs);
    }
    expect(bed.warned()).toEqual([]);
  });
});
