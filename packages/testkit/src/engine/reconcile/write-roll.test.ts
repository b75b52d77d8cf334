import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { describe, expect, test } from "vitest";
import { caseOf, createKindBed, type KindCase, kindCases, readsApp } from "../../beds/kind-bed.ts";
import { outcomeOf, type TestBedOptions } from "../../beds/test-bed.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";
import type { MemoryClusterOptions } from "../../memory/memory-cluster.ts";

const release: Freeze = { scope: {}, reason: "release", by: "ann" };
const other = { cluster: "c1", workload: { kind: "Deployment", namespace: "elsewhere", name: "other" } };

/** The write that makes pods anew, of whichever kind: not that of a stash, nor the note. */
function isRoll({ verb, target }: ClusterCall, { workload }: KindCase): boolean {
  if (workload.kind === "CronJob") return verb === "create";
  if (workload.kind === "Job") return verb === "delete" && !target.includes("-reload-");
  return verb === "patch";
}

type Trouble = (call: ClusterCall) => Promise<void> | void;

/** A workload of a kind whose source has changed; a budget of one roll; and trouble at one moment of its calls. */
async function changed(one: KindCase, moment: keyof Pick<MemoryClusterOptions, "turn" | "before" | "after">) {
  const world: { trouble: Trouble; admit: (template: unknown) => unknown } = {
    trouble: () => undefined,
    admit: (template) => template,
  };
  const limits: TestBedOptions["limits"] = {
    fleet: { unfinishedMax: 1 },
    workloadBreaker: { rollsMax: 10, withinMs: 300_000 },
  };
  const hook = { [moment]: (call: ClusterCall) => world.trouble(call) };
  const bed = await createKindBed(one, { ...hook, admit: (template) => world.admit(template), limits });
  bed.change("2");
  return {
    ...bed,
    run: async () => outcomeOf(await bed.reconcile(bed.workload)),
    /** Whether nothing is taken for a roll: another one may go. */
    isFree: async () => (await bed.ledger.admit(other, [])).type === "go",
    meet: (trouble: Trouble) => {
      world.trouble = trouble;
    },
    admit: (admit: (template: unknown) => unknown) => {
      world.admit = admit;
    },
  };
}

function failWith(code: FaultCode, isMet: (call: ClusterCall) => boolean): Trouble {
  return (call) => {
    if (isMet(call)) throw new Fault(code, "no");
  };
}

const isWrite = ({ verb }: ClusterCall) => verb === "patch" || verb === "create" || verb === "delete";

describe.each(kindCases)("what is taken for a roll of a $name", (one) => {
  test.each([
    "kube.forbidden",
    "kube.rejected",
    "kube.throttled",
    "kube.conflict",
    "kube.unreachable",
    // It is looked at once more, and all is as it was.
    "kube.server-error",
  ] as const)("is given back when the API server says no: %s", async (code) => {
    const bed = await changed(one, "before");
    bed.meet(failWith(code, (call) => isRoll(call, one)));
    await expect(bed.run()).rejects.toMatchObject({ code });
    expect(await bed.isFree()).toBe(true);
    expect(bed.actions()).toBe(0);
  });

  test.each(["kube.timeout", "engine.aborted", "kube.malformed"] as const)(
    "is given back when nothing was sent, and not when the outcome is unknown: %s",
    async (code) => {
      const unsent = await changed(one, "turn");
      unsent.meet(failWith(code, isWrite));
      await expect(unsent.run()).rejects.toMatchObject({ code });
      expect(await unsent.isFree()).toBe(true);
      const sent = await changed(one, "before");
      sent.meet(failWith(code, (call) => isRoll(call, one)));
      await expect(sent.run()).rejects.toMatchObject({ code });
      expect(await sent.isFree()).toBe(false);
    },
  );

  test("stays taken when the roll was made and its answer is lost", async () => {
    const bed = await changed(one, "after");
    bed.meet(failWith("kube.server-error", (call) => isRoll(call, one)));
    await expect(bed.run()).rejects.toMatchObject({ code: "kube.server-error" });
    expect(await bed.isFree()).toBe(false);
  });

  test("is given back when a freeze came while it waited for its turn", async () => {
    const bed = await changed(one, "turn");
    bed.meet(async (call) => {
      if (!isWrite(call)) return;
      bed.freezes.freezes = [release];
      await bed.clock.sleep(100, new AbortController().signal);
    });
    expect(await bed.run()).toBe("Frozen");
    expect(await bed.isFree()).toBe(true);
  });

  test("is given back at each refusal: a workload that was never rolled does not loop", async () => {
    const bed = await changed(one, "before");
    bed.meet(failWith("kube.rejected", (call) => isRoll(call, one)));
    for (let attempt = 0; attempt < 15; attempt += 1)
      await expect(bed.run()).rejects.toMatchObject({ code: "kube.rejected" });
    bed.meet(() => undefined);
    expect(await bed.run()).toBe("rolled");
  });
});

const templateKinds = [
  "Deployment",
  "DaemonSet",
  "StatefulSet",
  "DeploymentConfig",
  "Rollout",
  "Rollout that refers to a Deployment",
];

describe.each(templateKinds)("a roll of a %s that a webhook rewrites", (name) => {
  const rewritten = { code: "engine.write-rewritten" };

  test("takes nothing from a budget when the template is as it was, and is made later", async () => {
    const bed = await changed(caseOf(name), "before");
    const before = bed.cluster.workload(bed.workload)?.annotations;
    bed.admit(() => readsApp);
    for (let attempt = 0; attempt < 15; attempt += 1)
      await expect(bed.run()).rejects.toMatchObject(rewritten);
    expect(bed.cluster.workload(bed.workload)?.annotations).toEqual(before);
    bed.admit((template) => template);
    expect(await bed.run()).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });

  test("stays counted when the template is another one: pods are made anew", async () => {
    const bed = await changed(caseOf(name), "before");
    bed.admit(() => ({ ...readsApp, metadata: { labels: { app: "other" } } }));
    await expect(bed.run()).rejects.toMatchObject(rewritten);
    expect(await bed.isFree()).toBe(false);
  });
});

test.each(["CronJob", "Rollout that refers to a Deployment"])(
  "a %s whose note comes late is rolled and counted once, and noted while frozen",
  async (name) => {
    const one = caseOf(name);
    const bed = await changed(one, "before");
    const entered: string[] = [];
    const enter = bed.ledger.admit.bind(bed.ledger);
    bed.ledger.admit = async (request, sources) => {
      entered.push(request.workload.name);
      return await enter(request, sources);
    };
    let left = 2;
    bed.meet(({ verb, target }) => {
      if (verb !== "patch" || !target.startsWith(one.workload.kind) || left === 0) return;
      left -= 1;
      bed.freezes.freezes = [release];
      throw new Fault("kube.conflict", "its status was written");
    });
    expect(await bed.run()).toBe("rolled");
    expect([left, bed.actions(), entered]).toEqual([0, 1, [one.workload.name]]);
    expect(await bed.run()).toBe("unchanged");
  },
);

test("a worker that stops while Redis is away does not wait to give anything back", async () => {
  const bed = await changed(caseOf("Deployment"), "turn");
  const stop = new AbortController();
  bed.ledger.withdraw = () => new Promise<never>(() => undefined);
  bed.meet((call) => {
    if (isWrite(call)) stop.abort();
  });
  const running = bed.reconcile(bed.workload, { signal: stop.signal });
  await expect(running).rejects.toMatchObject({ code: "engine.aborted" });
});

test("a Job whose stash is not let through takes nothing from a budget", async () => {
  const bed = await changed(caseOf("Job"), "before");
  bed.meet(failWith("kube.rejected", ({ verb }) => verb === "create"));
  await expect(bed.run()).rejects.toMatchObject({ code: "kube.rejected" });
  expect(await bed.isFree()).toBe(true);
});
