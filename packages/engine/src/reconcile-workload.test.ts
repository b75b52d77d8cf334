import { noteAnnotation } from "@fleet-reloader/domain/carried/note";
import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { settled } from "@fleet-reloader/testkit/memory/manual-clock";
import type { ClusterCall } from "@fleet-reloader/testkit/memory/memory-cluster";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, outcomeOf, type TestBedOptions } from "./fixture/test-bed.ts";

/** A Deployment that reads a ConfigMap, adopted. */
async function adopted(options: TestBedOptions = {}, annotations: Readonly<Record<string, string>> = auto) {
  const bed = createTestBed(options);
  const app = bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const api = bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations });
  await bed.clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  return {
    ...bed,
    app,
    api,
    edit: (value: string) => bed.cluster.setSource("ConfigMap", "app", { a: value }),
    run: async () => outcomeOf(await bed.reconcile(api)),
    patches: () => bed.cluster.calls.filter((call) => call.verb === "patch").length,
  };
}

/** Fails the next calls that fit, `times` of them. */
function failing(verb: ClusterCall["verb"], target: string, fault: Fault, times = 1) {
  let left = 0;
  return {
    arm: () => {
      left = times;
    },
    before: (call: ClusterCall) => {
      if (left === 0 || call.verb !== verb || call.target !== target) return;
      left -= 1;
      throw fault;
    },
  };
}

describe("a workload whose sources", () => {
  test("were never looked at is noted and not rolled", async () => {
    const { cluster, api } = await adopted();
    expect(cluster.rolls()).toEqual([]);
    expect(cluster.workload(api)?.annotations[noteAnnotation("k1")]).toContain("ConfigMap/app");
  });

  test("are as noted is read and not written", async () => {
    const { run, patches } = await adopted();
    expect(await run()).toBe("unchanged");
    expect(patches()).toBe(1);
  });

  test("differ is rolled once, however often it is delivered", async () => {
    const { run, edit, cluster, patches } = await adopted();
    edit("2");
    expect([await run(), await run(), await run()]).toEqual(["rolled", "unchanged", "unchanged"]);
    expect(cluster.rolls()).toHaveLength(1);
    expect(patches()).toBe(2);
  });

  test("differ gets mark and note in one write: one cannot be without the other", async () => {
    const { run, edit, cluster, api } = await adopted();
    const note = cluster.workload(api)?.annotations[noteAnnotation("k1")];
    edit("2");
    await run();
    const [write] = cluster.rolls();
    expect(write?.before?.annotations[noteAnnotation("k1")]).toBe(note);
    expect(write?.after?.annotations[noteAnnotation("k1")]).not.toBe(note);
  });

  test("changed and changed back in between is left alone", async () => {
    const { run, edit, cluster } = await adopted();
    edit("2");
    edit("1");
    expect(await run()).toBe("unchanged");
    expect(cluster.rolls()).toEqual([]);
  });

  test("changed only in their metadata is left alone (T4)", async () => {
    const { run, cluster } = await adopted();
    cluster.setSource("ConfigMap", "app", { a: "1" }, { note: "new" });
    expect(await run()).toBe("unchanged");
  });

  test("are ignored by their own annotation is left alone", async () => {
    const { run, cluster } = await adopted();
    cluster.setSource("ConfigMap", "app", { a: "2" }, { "reloader.stakater.com/ignore": "true" });
    await run();
    expect(cluster.rolls()).toEqual([]);
  });

  test("match a search counts, and only then", async () => {
    const bed = await adopted({}, { "reloader.stakater.com/search": "true" });
    bed.edit("2");
    await bed.run();
    expect(bed.cluster.rolls()).toEqual([]);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" }, { "reloader.stakater.com/match": "true" });
    await bed.run();
    bed.cluster.setSource("ConfigMap", "app", { a: "3" }, { "reloader.stakater.com/match": "true" });
    expect(await bed.run()).toBe("rolled");
  });

  test("match a name pattern counts without a reference, and only those names are read", async () => {
    const bed = await adopted({}, { "configmap.reloader.stakater.com/reload": "tenant-.*" });
    bed.cluster.setSource("ConfigMap", "tenant-1", { a: "1" });
    bed.cluster.setSource("ConfigMap", "other", { a: "1" });
    expect(await bed.run()).toBe("recorded");
    bed.cluster.setSource("ConfigMap", "other", { a: "2" });
    expect(await bed.run()).toBe("unchanged");
    bed.cluster.setSource("ConfigMap", "tenant-1", { a: "2" });
    expect(await bed.run()).toBe("rolled");
    expect(bed.cluster.calls).not.toContainEqual({ verb: "read", target: "ConfigMap/ns/other" });
  });

  test("are written as variables where the workload asks for it", async () => {
    const strategy = { "fleet-reloader.io/strategy": "env-vars" };
    const bed = await adopted({}, { ...auto, ...strategy });
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    expect(JSON.stringify(bed.cluster.workload(bed.api)?.template)).toContain("STAKATER_APP_CONFIGMAP");
  });
});

describe("a request leads to nothing when", () => {
  test("the workload is gone", async () => {
    const bed = await adopted();
    bed.cluster.deleteWorkload(bed.api);
    expect(await bed.run()).toBe("gone");
  });

  test("the workload is being deleted", async () => {
    const bed = await adopted();
    bed.cluster.startDeleting(bed.api);
    bed.edit("2");
    expect(await bed.run()).toBe("gone");
  });

  test.each([
    ["to be rolled", auto],
    ["to be noted", {}],
  ])("the workload was %s and is gone before the write", async (_, annotations) => {
    let vanish: (() => void) | undefined;
    const bed = await adopted({ before: ({ verb }) => (verb === "patch" ? vanish?.() : undefined) });
    vanish = () => bed.cluster.deleteWorkload(bed.api);
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": null, ...annotations } });
    bed.edit("2");
    expect(await bed.run()).toBe("gone");
  });

  test("the workload has opted in to nothing: not a read more, not a write", async () => {
    const bed = createTestBed();
    const api = bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }) });
    expect(outcomeOf(await bed.reconcile(api))).toBe("ignored");
    expect(bed.cluster.calls).toEqual([{ verb: "read", target: "Deployment/ns/api" }]);
  });

  test("the workload has opted out: it loses its note, and no pod is made anew", async () => {
    const bed = await adopted();
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": "false" } });
    bed.edit("2");
    expect(await bed.run()).toBe("recorded");
    expect(bed.cluster.workload(bed.api)?.annotations).toEqual({ "reloader.stakater.com/auto": "false" });
    expect(bed.cluster.rolls()).toEqual([]);
    expect(await bed.run()).toBe("ignored");
  });

  test("this worker does not know the cluster: the request waits, no attempt is used up", async () => {
    const bed = createTestBed();
    const workload = { kind: "Deployment", namespace: "ns", name: "api" };
    const delivery = { attemptsMade: 0, purpose: "change" as const, signal: bed.lifetime.signal };
    expect(await bed.handler({ cluster: "other", workload }, delivery)).toEqual({
      type: "again",
      afterMs: 5000,
      reason: "ClusterUnknown",
    });
    expect(bed.meter.count("reconciled other held")).toBe(1);
  });
});

describe("an adoption that finds a change", () => {
  const window = { debounce: { quietPeriodMs: 2000, maxWaitMs: 30_000 } };

  // Whoever applies a workload may be about to apply its sources.
  test("waits for the quiet period like any other change, and writes nothing before", async () => {
    const bed = await adopted({ settings: window });
    bed.edit("2");
    const result = await bed.reconcile(bed.api, { purpose: "adoption" });
    expect(outcomeOf(result)).toBe("unchanged");
    expect(bed.cluster.rolls()).toEqual([]);
    expect(bed.queue.additions).toEqual([
      {
        request: { cluster: "c1", workload: bed.api },
        quietPeriodMs: 2000,
        maxWaitMs: 30_000,
        purpose: "change",
      },
    ]);
    await bed.clock.advance(2000);
    await bed.queue.run(bed.handler);
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("rolls at once where there is no quiet period", async () => {
    const bed = await adopted();
    bed.edit("2");
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "adoption" }))).toBe("rolled");
  });

  test("follows the workload's own window", async () => {
    const bed = await adopted({ settings: window }, { ...auto, "fleet-reloader.io/debounce": "0" });
    bed.edit("2");
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "adoption" }))).toBe("rolled");
  });
});

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

  test("is not decided again once the worker has to stop: the request is given back untouched", async () => {
    const people = meddled(1);
    const stop = new AbortController();
    const bed = await adopted({ before: people.before });
    bed.edit("2");
    people.begin(() => bed.cluster.touchStatus(bed.api));
    const delivery = { attemptsMade: 0, purpose: "change" as const, signal: stop.signal };
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
    ["kube.throttled", "held"],
    ["kube.forbidden", "held"],
    ["kube.unauthorized", "held"],
    ["kube.unreachable", "held"],
    ["engine.aborted", "held"],
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
  test("is an error that names the cause, not a roll, and is not tried for ever (A12)", async () => {
    const strip = (template: unknown) => ({ ...Object(template), metadata: {} });
    const bed = await adopted({ admit: strip });
    bed.edit("2");
    await expect(bed.run()).rejects.toMatchObject({ code: "engine.write-rewritten", class: "invalid" });
    expect(bed.meter.sentences.filter((sentence) => sentence.startsWith("rolled"))).toEqual([]);
    expect(bed.log.messages("error")).toEqual(["workload not reconciled"]);
    expect(await bed.run()).toBe("unchanged");
  });
});

describe("an annotation that cannot be read", () => {
  test("is reported, and the rest of the workload counts all the same (X9)", async () => {
    const bed = await adopted({}, { "configmap.reloader.stakater.com/reload": "app,(" });
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    const [line] = bed.log.lines.filter(({ level }) => level === "warn");
    expect(line?.fields).toMatchObject({ workload: bed.api, reason: "AnnotationUnreadable" });
    expect(line?.message).toMatch(/"\(" is left out.*; write names/);
  });

  test("disturbs no other workload", async () => {
    const bed = await adopted();
    const broken = bed.cluster.setWorkload("broken", {
      template: { spec: { containers: "none", volumes: 7 } },
      annotations: {
        ...auto,
        [noteAnnotation("k1")]: "{",
        "fleet-reloader.io/debounce": "soon",
        "secret.reloader.stakater.com/reload": `${"(".repeat(300)},${"x,".repeat(6000)}`,
      },
    });
    expect(outcomeOf(await bed.reconcile(broken))).toBe("recorded");
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
  });
});

describe("many workloads of one source", () => {
  test("share its reads, and each sees what was there after its own request", async () => {
    const bed = await adopted();
    const names = Array.from({ length: 50 }, (_, at) => `api-${at}`);
    const refs = names.map((name) =>
      bed.cluster.setWorkload(name, { template: templateUsing({ app: {} }), annotations: auto }),
    );
    for (const ref of refs) await bed.reconcile(ref);
    bed.cluster.calls.length = 0;
    bed.edit("2");
    const outcomes = await Promise.all(refs.map((ref) => bed.reconcile(ref)));
    expect(new Set(outcomes.map(outcomeOf))).toEqual(new Set(["rolled"]));
    const reads = bed.cluster.calls.filter((call) => call.target === "ConfigMap/ns/app");
    expect(reads.length).toBeLessThanOrEqual(3);
  });
});
