import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { Outbox } from "./outbox.ts";
import type { Body, Receiver } from "./post.ts";

/** Everything that the peer sends in this mode (compat 4.4). */
const updateBody: Body = { contentType: "application/json", text: '{"webhook":"update successful"}' };

/** Up to this many changes in a window get a call each. In a storm one call stands for the others, since all calls say the same. */
const limits = { singlesMax: 500, windowMs: 10_000 } as const;

/** The peer's webhook: one call for each change of any source, even if no workload uses it. */
export function notifyUpdates(options: {
  readonly receiver: Receiver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}): {
  /** Resolves to true when the receiver has answered, and to false when the call is given up. Does not settle when the process ends first. */
  readonly tell: () => Promise<boolean>;
  stop(graceMs: number): Promise<void>;
} {
  const { receiver, clock, random, log, meter } = options;
  // Letters end in the order of their updates, so the first ones belong to the letter that ends.
  const waiting: ((isAnswered: boolean) => void)[] = [];
  const outbox = new Outbox<"update">({
    channel: "update-webhook",
    send: (_letter, signal) => receiver.post(updateBody, signal),
    isUrgent: () => false,
    typeOf: (update) => update,
    onEnd: (letter, isAnswered) => {
      const count = letter.type === "single" ? 1 : letter.digest.count;
      for (const end of waiting.splice(0, count)) end(isAnswered);
    },
    singlesMax: limits.singlesMax,
    windowMs: limits.windowMs,
    clock,
    random,
    log,
    meter,
  });
  return {
    tell: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        outbox.put("update");
      }),
    async stop(graceMs) {
      await outbox.stop(graceMs);
      await receiver.close();
    },
  };
}
