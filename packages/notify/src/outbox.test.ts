import { Fault } from "@fleet-reloader/domain/fault";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { describe, expect, test } from "vitest";
import { type Letter, Outbox } from "./outbox.ts";

type Send = (letter: Letter<string>, signal: AbortSignal) => Promise<void>;

/** An outbox of words; words in capitals are urgent. */
function createBed(send: Send = async () => undefined) {
  const [clock, log, meter] = [new ManualClock(), new CollectedLog(), new CountingMeter()];
  const sent: string[] = [];
  const outbox = new Outbox<string>({
    ...{ clock, log, meter },
    channel: "alert",
    singlesMax: 3,
    windowMs: 10_000,
    random: () => 0.5,
    isUrgent: (word) => word === word.toUpperCase(),
    typeOf: (word) => word,
    async send(letter, signal) {
      await send(letter, signal);
      sent.push(
        letter.type === "single"
          ? letter.item
          : `${letter.digest.count}/${letter.digest.urgentCount}: ${letter.digest.first.join(" ")}`,
      );
    },
  });
  return { clock, log, meter, sent, outbox };
}

const unavailable = new Fault("notify.unavailable", "the receiver answered 503");

describe("what comes slowly is sent one by one", () => {
  test("at once, in order", async () => {
    const { outbox, sent } = createBed();
    for (const word of ["a", "b", "c"]) outbox.put(word);
    await settled();
    expect(sent).toEqual(["a", "b", "c"]);
  });

  test("again and again, window after window", async () => {
    const { outbox, sent, clock } = createBed();
    for (let i = 0; i < 20; i += 1) {
      outbox.put(`w${i}`);
      await clock.advance(4000);
    }
    expect(sent).toHaveLength(20);
  });
});

describe("what comes fast is folded", () => {
  test("into one digest at the end of the window, counted, with the first ones", async () => {
    const { outbox, sent, clock } = createBed();
    for (let i = 0; i < 100; i += 1) outbox.put(`w${i}`);
    await clock.advance(9999);
    expect(sent).toEqual(["w0", "w1", "w2"]);
    await clock.advance(1);
    expect(sent.slice(3)).toEqual(["97/0: w3 w4 w5 w6 w7"]);
  });

  test("with the urgent ones first, however late they came", async () => {
    const { outbox, sent, clock } = createBed();
    for (let i = 0; i < 50; i += 1) outbox.put(`w${i}`);
    outbox.put("FAILED");
    await clock.advance(10_000);
    expect(sent.at(-1)).toBe("48/1: FAILED w3 w4 w5 w6");
  });

  test("a receiver that takes for ever gets digests; memory holds a hundred at most", async () => {
    let pass: () => void = () => undefined;
    const { outbox, sent, clock, meter } = createBed(
      () =>
        new Promise((resolve) => {
          pass = resolve;
        }),
    );
    for (let i = 0; i < 1000; i += 1) {
      outbox.put(`w${i}`);
      await clock.advance(4000);
    }
    expect(meter.count("notified alert folded")).toBeGreaterThanOrEqual(890);
    for (let i = 0; i < 110; i += 1) {
      pass();
      await clock.advance(10_000);
    }
    const digests = sent.filter((text) => text.includes("/"));
    expect(sent.length - digests.length).toBeLessThanOrEqual(101);
    // Only the separate line is lost: an item that was not sent alone is in a digest's count.
    const folded = digests.reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
    expect(folded + sent.length - digests.length).toBe(1000);
  });
});

describe("a receiver that fails", () => {
  test("is asked again after growing pauses, and the letter arrives once", async () => {
    let failures = 2;
    const { outbox, sent, clock } = createBed(async () => {
      failures -= 1;
      if (failures >= 0) throw unavailable;
    });
    outbox.put("a");
    await clock.advance(999);
    expect(failures).toBe(1);
    await clock.advance(1);
    expect(failures).toBe(0);
    await clock.advance(4000);
    expect(sent).toEqual(["a"]);
  });

  test("is given up after four attempts; the log has one line at the start and the end", async () => {
    let isDown = true;
    let attempts = 0;
    const { outbox, sent, clock, log, meter } = createBed(async () => {
      attempts += 1;
      if (isDown) throw unavailable;
    });
    for (const word of ["a", "b"]) outbox.put(word);
    await clock.advance(60_000);
    expect([attempts, sent, meter.count("notified alert failed")]).toEqual([8, [], 2]);
    expect(log.messages("warn")).toEqual([
      "notifications are not delivered; workloads are rolled all the same",
    ]);
    isDown = false;
    outbox.put("c");
    await settled();
    expect(sent).toEqual(["c"]);
    expect(log.messages("info")).toEqual(["notifications are delivered again"]);
  });

  test("for what was sent is not asked again", async () => {
    let attempts = 0;
    const { outbox, clock } = createBed(async () => {
      attempts += 1;
      throw new Fault("notify.rejected", "the receiver answered 404");
    });
    outbox.put("a");
    await clock.advance(60_000);
    expect(attempts).toBe(1);
  });

  test("and asks for a pause gets it", async () => {
    let failures = 1;
    const { outbox, sent, clock } = createBed(async () => {
      failures -= 1;
      if (failures >= 0) throw new Fault("notify.unavailable", "429", { retryAfterMs: 30_000 });
    });
    outbox.put("a");
    await clock.advance(29_999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual(["a"]);
  });
});

describe("at the end", () => {
  test("everything is sent without waiting for the window", async () => {
    const { outbox, sent } = createBed();
    for (let i = 0; i < 10; i += 1) outbox.put(`w${i}`);
    await outbox.stop(2000);
    expect(sent).toEqual(["w0", "w1", "w2", "7/0: w3 w4 w5 w6 w7"]);
  });

  test("a silent receiver is waited for within the grace; what is left is counted", async () => {
    let aborted = false;
    const { outbox, clock, meter } = createBed(
      (_letter, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Fault("engine.aborted", "stopped"));
          });
        }),
    );
    for (let i = 0; i < 10; i += 1) outbox.put(`w${i}`);
    const stopped = outbox.stop(2000);
    await clock.advance(2000);
    await stopped;
    await settled();
    expect(aborted).toBe(true);
    expect(meter.count("notified alert dropped")).toBe(9);
    outbox.put("late");
    expect(meter.count("notified alert dropped")).toBe(10);
  });
});
