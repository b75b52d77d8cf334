import { BullConsumer } from "@fleet-reloader/redis/queue/bull-consumer";
import { systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { serveMethods } from "../child/serve.ts";
import { openRedisParts } from "../tool/redis-parts.ts";
import type { ConsumerMethods } from "./methods.ts";

/** The worker's half of the queue with a handler that does nothing: what the queue itself can do. */
let latencies: number[] = [];

const methods: ConsumerMethods = {
  async start({ redisUrl, concurrency }) {
    const parts = await openRedisParts(redisUrl);
    const consumer = new BullConsumer({
      ...{ ...parts, concurrency, random: systemRandom },
      async handler({ workload }) {
        // `<number>-<ms since the epoch>`: processes of one machine share its wall clock.
        const addedAt = Number(workload.name.split("-")[1]);
        latencies.push(performance.timeOrigin + performance.now() - addedAt);
        return { type: "done", outcome: "unchanged" };
      },
    });
    consumer.start();
  },
  latencies: () => latencies,
  forget() {
    latencies = [];
  },
};

serveMethods(methods);
