import { ourAppliedText } from "@fleet-reloader/domain/applied/applied-annotation";
import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FailureReport } from "@fleet-reloader/engine/ports/reporter";
import { describe, expect, test, vi } from "vitest";
import { adopted, failing } from "../../beds/adopted-deployment.ts";
import type { TestBedOptions } from "../../beds/test-bed.ts";
import { settled } from "../../memory/manual-clock.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";

describe("a write that was decided on an older version", () => {
  /** Somebody writes the workload between our read and our write, this often. */
  function meddled(times: number) {
    let left = 0;
    let meddle: (() => void) | undefined;
    const before = ({ verb }: ClusterCall) => {
      if (verb !== "patch" || left === 0) return;
      left -= 1;
      meddle?.();
    };
    return {
      before,
      begin: (what: () => void) => {
        left = times;
        meddle = what;
      },
    };
  }

  test("is refused; everything is read and decided anew, and both edits survive (A14)", async () => {
    const people = meddled(1);
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }, "app:2") }));
    expect(await bed.run()).toBe("rolled");
    expect(bed.cluster.rolls()).toHaveLength(1);
    expect(JSON.stringify(bed.cluster.workload(bed.api)?.template)).toMatch(/fleet-reloader.io\/mark.*app:2/);
  });

  test("is not sent again when what was to be written is not due any more", async () => {
    const people = meddled(1);
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => {
      bed.edit("1");
      bed.cluster.touchStatus(bed.api);
    });
    expect(await bed.run()).toBe("unchanged");
    expect(bed.cluster.rolls()).toEqual([]);
  });

  test("is decided four times in place, and then goes back to the queue as a conflict", async () => {
    const people = meddled(Number.POSITIVE_INFINITY);
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    const before = bed.patches();
    people.begin(() => bed.cluster.touchStatus(bed.api));
    await expect(bed.run()).rejects.toMatchObject({ code: "kube.conflict" });
    expect(bed.patches() - before).toBe(4);
    expect(bed.log.messages("error")).toEqual([]);
  });

  test.each([
    [3, "no failure", "conflict", []],
    [4, "a failure, and the log names the workload", "retry", ["workload not reconciled"]],
  ] as const)("is, after %i attempts, %s", async (attemptsMade, _, result, warnings) => {
    const people = meddled(Number.POSITIVE_INFINITY);
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => bed.cluster.touchStatus(bed.api));
    await expect(bed.reconcile(bed.api, { attemptsMade })).rejects.toMatchObject({ code: "kube.conflict" });
    expect(bed.meter.count(`reconciled c1 ${result}`)).toBe(1);
    expect(bed.log.messages("warn")).toEqual(warnings);
  });

  test("waits longer after each conflict, so that writers do not meet again", async () => {
    const people = meddled(Number.POSITIVE_INFINITY);
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => bed.cluster.touchStatus(bed.api));
    const sleep = vi.spyOn(bed.clock, "sleep");
    await expect(bed.run()).rejects.toMatchObject({ code: "kube.conflict" });
    const pauses = sleep.mock.calls.map(([ms]) => ms).filter((ms) => ms < 1000);
    // The random part is the same in every run of this test.
    expect(pauses).toHaveLength(3);
    for (const [conflicts, ms] of pauses.entries()) expect(ms).toBeLessThan(20 * 2 ** conflicts);
    expect(Math.max(...pauses)).toBeGreaterThan(20);
  });

  test("is not decided again when the worker stops: the request is released untouched", async () => {
    const people = meddled(1);
    const stop = new AbortController();
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => bed.cluster.touchStatus(bed.api));
    const delivery = { attemptsMade: 0, isDoubtful: false, purpose: "change" as const, signal: stop.signal };
    const running = bed.handler({ cluster: "c1", workload: bed.api }, delivery);
    await settled();
    stop.abort("shutdown");
    await expect(running).rejects.toMatchObject({ code: "engine.aborted" });
    expect(bed.log.messages("error")).toEqual([]);
    expect(bed.cluster.rolls()).toEqual([]);
  });
});

describe("a call that fails", () => {
  const results = [
    ["kube.server-error", "retry"],
    ["kube.timeout", "retry"],
    ["kube.malformed", "retry"],
    ["kube.throttled", "delayed"],
    ["kube.forbidden", "delayed"],
    ["kube.unauthorized", "delayed"],
    ["kube.unreachable", "delayed"],
    ["engine.aborted", "delayed"],
    ["kube.rejected", "retry"],
    ["engine.invariant", "retry"],
  ] as const;
  const calls = [
    ["read", "Deployment/ns/api"],
    ["read", "ConfigMap/ns/app"],
    ["patch", "Deployment/ns/api"],
  ] as const;
  const rows = results.flatMap(([code, result]) =>
    calls.map(([verb, target]) => [code, verb, target, result] as const),
  );

  // An error is never an absence (W9): the fault leaves as it came, nothing is written, and the next run finds the change.
  test.each(rows)("with %s at %s %s changes nothing and counts as %s", async (code, verb, target, result) => {
    const failure = failing(verb, target, new Fault(code, "refused"));
    const bed = await adopted({ before: failure.before });
    const writes = bed.cluster.writes.length;
    bed.edit("2");
    failure.arm();
    await expect(bed.run()).rejects.toMatchObject({ code });
    expect(bed.cluster.writes).toHaveLength(writes + 1);
    expect(bed.meter.count(`reconciled c1 ${result}`)).toBe(1);
    expect(await bed.run()).toBe("rolled");
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("says so once, at the level of its class, with names and the attempt", async () => {
    const failure = failing(
      "read",
      "Deployment/ns/api",
      new Fault("kube.forbidden", "no get on deployments"),
    );
    const bed = await adopted({ before: failure.before });
    failure.arm();
    await expect(bed.reconcile(bed.api, { attemptsMade: 3 })).rejects.toThrow();
    const lines = bed.log.lines.filter((line) => line.message === "workload not reconciled");
    expect(lines).toEqual([
      {
        level: "error",
        message: "workload not reconciled",
        fields: {
          cluster: "c1",
          workload: bed.api,
          reason: "kube.forbidden",
          attempt: 4,
          err: "no get on deployments",
        },
      },
    ]);
  });

  test("is recorded with the change that it was to bring, until the change is rolled", async () => {
    const failure = failing("patch", "Deployment/ns/api", new Fault("kube.rejected", "a policy says no"));
    const records: HistoryRecord[] = [];
    const history = { append: (more: readonly HistoryRecord[]) => void records.push(...more) };
    const bed = await adopted({ before: failure.before, history });
    bed.edit("2");
    failure.arm();
    await expect(bed.run()).rejects.toMatchObject({ code: "kube.rejected" });
    const progress = () =>
      foldChanges(records)
        .summaries()
        .map(({ source, workloads }) => [source.name, workloads]);
    expect(progress()).toMatchObject([["app", { failed: 1, rolling: 0 }]]);
    expect(await bed.run()).toBe("rolled");
    expect(progress()).toMatchObject([["app", { failed: 0, rolling: 1 }]]);
  });

  test("after the write was done is a lost reply: the repeat changes nothing (A7)", async () => {
    let isLost = false;
    const bed = await adopted({
      after: ({ verb }) => {
        if (verb === "patch" && isLost) throw new Fault("kube.timeout", "no answer");
      },
    });
    bed.edit("2");
    isLost = true;
    await expect(bed.run()).rejects.toMatchObject({ code: "kube.timeout" });
    expect(await bed.run()).toBe("unchanged");
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("for one source of many is not taken for its absence", async () => {
    const failure = failing("read", "Secret/ns/tls", new Fault("kube.server-error", "500"));
    const bed = await adopted({ before: failure.before });
    bed.cluster.setSource("Secret", "tls", { a: "1" });
    bed.cluster.setWorkload("api", { template: templateUsing({ app: {}, tls: { kind: "Secret" } }) });
    await bed.run();
    failure.arm();
    await expect(bed.run()).rejects.toThrow();
    expect(await bed.run()).toBe("unchanged");
  });
});

describe("a write that a webhook rewrites", () => {
  /** Takes our edit out of so many writes. */
  function stripping(times: number, options: TestBedOptions = {}) {
    let left = times;
    const admit = (template: unknown) => {
      left -= 1;
      return left < 0 ? template : templateUsing({ app: {} });
    };
    return adopted({ ...options, admit });
  }

  type Bed = Awaited<ReturnType<typeof stripping>>;
  const appliedTextOf = ({ cluster, api }: Bed) =>
    ourAppliedText(cluster.workload(api)?.annotations ?? {}, testKeyring("k1"));
  const ask = async ({ queue, api: workload }: Bed) =>
    await queue.add([
      { request: { cluster: "c1", workload }, quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" },
    ]);

  test("is a fault that names the cause and is tried again, and no roll (A12)", async () => {
    const bed = await stripping(1);
    bed.edit("2");
    await expect(bed.run()).rejects.toMatchObject({ code: "engine.write-rewritten", class: "transient" });
    expect(bed.meter.sentences.filter((sentence) => sentence.startsWith("rolled"))).toEqual([]);
    expect(bed.meter.count("reconciled c1 retry")).toBe(1);
    expect(bed.log.messages("warn")).toEqual(["workload not reconciled"]);
  });

  test("is told on the workload at the first attempt, and not when it is tried again", async () => {
    const reported: (readonly string[])[] = [];
    const ignore = () => undefined;
    const failed = ({ code, changedKinds }: FailureReport) => void reported.push([code, ...changedKinds]);
    const reporter = { rolled: ignore, failed, ended: ignore, unreadable: ignore, held: ignore };
    const bed = await stripping(3, { reporter });
    bed.edit("2");
    await ask(bed);
    await bed.elapse(10_000);
    expect(bed.cluster.rolls()).toHaveLength(1);
    expect(reported).toEqual([["engine.write-rewritten", "ConfigMap"]]);
  });

  test("once is made at the retry, exactly once, and recorded then", async () => {
    const bed = await stripping(1);
    const before = appliedTextOf(bed);
    bed.edit("2");
    await ask(bed);
    await bed.elapse(0);
    expect([bed.cluster.rolls().length, appliedTextOf(bed)]).toEqual([0, before]);
    await bed.elapse(10_000);
    expect(bed.cluster.rolls()).toHaveLength(1);
    expect(appliedTextOf(bed)).not.toBe(before);
    expect(await bed.run()).toBe("unchanged");
    bed.edit("1");
    expect(await bed.run()).toBe("rolled");
  });

  // One write and one that takes the applied state back for each attempt, and an attempt only when its back-off is over.
  test("each time leaves the applied state as it was, and is written only once per retry", async () => {
    const bed = await stripping(Number.POSITIVE_INFINITY);
    const before = { note: appliedTextOf(bed), patches: bed.patches() };
    bed.edit("2");
    await ask(bed);
    await bed.elapse(10_000);
    expect([bed.cluster.rolls().length, appliedTextOf(bed)]).toEqual([0, before.note]);
    const attempts = bed.meter.count("reconciled c1 retry");
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThanOrEqual(11);
    expect(bed.patches() - before.patches).toBe(2 * attempts);
  });

  test("is the fault also when the applied state cannot be put back", async () => {
    let patches = Number.NEGATIVE_INFINITY;
    const bed = await stripping(1, {
      before: ({ verb }) => {
        if (verb === "patch") patches += 1;
        if (patches === 2) throw new Fault("kube.conflict", "its status was written");
      },
    });
    bed.edit("2");
    patches = 0;
    await expect(bed.run()).rejects.toMatchObject({ code: "engine.write-rewritten" });
    expect(patches).toBe(2);
  });
});
