import { startSink } from "@fleet-reloader/testkit/http-sink";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock as systemClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { failureReport, rolloutFailed, rollReport } from "./fixture/reports.ts";
import { createReceiver } from "./post.ts";
import { webhookBody } from "./webhook-body.ts";
import { createWebhookNotifier } from "./webhook-notifier.ts";

function notifier(
  url: URL,
  how: { readonly onReload?: boolean; readonly onFailure?: boolean; readonly timeoutMs?: number } = {},
) {
  const [log, meter] = [new CollectedLog(), new CountingMeter()];
  const reporter = createWebhookNotifier({
    ...{ log, meter, clock: systemClock, random: Math.random },
    channel: "webhook",
    receiver: createReceiver({ url, userAgent: "us/1", timeoutMs: how.timeoutMs ?? 60_000 }),
    bodyOf: webhookBody,
    onReload: how.onReload ?? true,
    onFailure: how.onFailure ?? true,
    singlesMax: 10,
    windowMs: 600_000,
  });
  return { log, meter, reporter };
}

test("a storm of rolls is ten messages and one digest, with everything counted", async () => {
  await using sink = await startSink();
  const { reporter } = notifier(sink.url);
  for (let i = 0; i < 500; i += 1) reporter.rolled(rollReport(`w${i}`));
  await until("ten are there", () => sink.received.length === 10);
  await reporter.stop(60_000);
  expect(sink.received).toHaveLength(11);
  expect(JSON.parse(sink.received.at(-1)?.body ?? "")).toMatchObject({
    type: "digest",
    count: 490,
    failed: 0,
  });
});

test("what is not asked for is not told, and a failure that goes on once", async () => {
  await using sink = await startSink();
  const { reporter, meter } = notifier(sink.url, { onReload: false });
  reporter.rolled(rollReport());
  for (let i = 0; i < 3; i += 1) reporter.failed(failureReport());
  await reporter.stop(60_000);
  expect(sink.received.map(({ body }) => JSON.parse(body).type)).toEqual(["failed"]);
  expect(meter.count("notified webhook repeated")).toBe(2);
});

test("of rollouts only a failed one is told, and only to those who ask for failures", async () => {
  for (const onFailure of [true, false]) {
    await using sink = await startSink();
    const { reporter } = notifier(sink.url, { onFailure });
    const { report } = rolloutFailed();
    for (const result of ["healthy", "stalled", "failed"] as const) reporter.ended({ ...report, result });
    await reporter.stop(60_000);
    const types = sink.received.map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(onFailure ? ["rollout-failed"] : []);
  }
});

test("a sink that hangs delays no report and no end, and its address is in no log line", async () => {
  await using sink = await startSink(() => undefined);
  const { reporter, log } = notifier(sink.url, { timeoutMs: 300 });
  const begun = performance.now();
  for (let i = 0; i < 1000; i += 1) reporter.rolled(rollReport(`w${i}`));
  expect(performance.now() - begun).toBeLessThan(20_000);
  await until("the first was tried", () => sink.received.length > 0);
  await reporter.stop(500);
  // It tries each for 300 ms, so it does not try all of them.
  expect(sink.received.length).toBeLessThan(20);
  expect(log.text).not.toContain("hunter2");
});
