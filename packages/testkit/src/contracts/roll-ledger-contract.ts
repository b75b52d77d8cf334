import { leaseMs } from "@fleet-reloader/domain/hold/budget";
import type { LedgerVerdict, RollLedger, RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { Request } from "@fleet-reloader/engine/ports/request";
import { expect, test } from "vitest";
import { MemoryRollLedger } from "../memory/memory-roll-ledger.ts";
import { SeededRandom } from "../memory/seeded-random.ts";

export interface LedgerUnderTest {
  readonly ledger: RollLedger;
  readonly wipe: () => Promise<void>;
}

/** Whose clock is given: both sides tell the same time. */
export type MakeLedger = (limits: RollLimits, now: () => number) => LedgerUnderTest;

const startMs = 1_700_000_000_000;
const never = new AbortController().signal;

function requestFor(name: string, namespace = "ns", cluster = "c1"): Request {
  return { cluster, workload: { kind: "Deployment", namespace, name } };
}

/** What every ledger of rolls promises. */
export function rollLedgerContract(make: MakeLedger): void {
  const start = (limits: RollLimits) => {
    let nowMs = startMs;
    const { ledger, wipe } = make(limits, () => nowMs);
    return {
      ...{ ledger, wipe, now: () => nowMs },
      pass: (ms: number) => {
        nowMs += ms;
      },
      enter: (request: Request, version = "v") =>
        ledger.admit(request, [{ id: "Secret/ns/db", version }], never),
    };
  };

  test("without limits everything enters", async () => {
    const { enter } = start({});
    for (let i = 0; i < 50; i += 1) expect(await enter(requestFor("api"), `v${i}`)).toEqual({ type: "go" });
  });

  test("a check has the answer of the admission, and takes nothing", async () => {
    const { ledger, enter } = start({ fleet: { unfinishedMax: 1 } });
    const check = (name: string) => ledger.check(requestFor(name), [], never);
    for (const name of ["a", "b", "c"]) expect(await check(name)).toEqual({ type: "go" });
    expect((await enter(requestFor("c"))).type).toBe("go");
    const held = { type: "hold", reason: "BudgetUnfinished", blockedBy: [requestFor("c")] };
    for (let i = 0; i < 3; i += 1) expect(await check("a")).toMatchObject(held);
    await ledger.withdraw(requestFor("c"));
    // Whoever only asked waits nowhere, so nobody is behind it.
    expect((await enter(requestFor("b"))).type).toBe("go");
  });

  test("all levels say yes, or none counts the roll", async () => {
    const { enter, pass } = start({ fleet: { unfinishedMax: 2 }, namespace: { unfinishedMax: 1 } });
    expect((await enter(requestFor("a"))).type).toBe("go");
    for (let i = 0; i < 3; i += 1)
      expect(await enter(requestFor("b"))).toMatchObject({ reason: "BudgetUnfinished", what: "namespace" });
    // What waits for its namespace has taken nothing from the fleet, and stands in nobody's way there.
    expect((await enter(requestFor("c", "other"))).type).toBe("go");
    pass(1000);
    expect(await enter(requestFor("d", "third"))).toMatchObject({ what: "fleet" });
  });

  test("who waits for one budget stands in nobody's way at another", async () => {
    const { enter, pass } = start({
      fleet: { rate: { rolls: 1, perMs: 1000, burst: 2 } },
      namespace: { unfinishedMax: 1 },
    });
    await enter(requestFor("early"));
    pass(2000);
    expect((await enter(requestFor("a"))).type).toBe("go");
    // Short at both levels, and longer at its namespace's.
    for (const name of ["b", "c", "d"]) expect((await enter(requestFor(name))).type).toBe("hold");
    expect((await enter(requestFor("e", "other"))).type).toBe("go");
  });

  test("what has lost its memory has nothing saved up: no burst follows a loss", async () => {
    const { enter, pass, wipe } = start({ fleet: { rate: { rolls: 1, perMs: 1000, burst: 10 } } });
    await enter(requestFor("first"));
    pass(3_600_000);
    await wipe();
    const entered: LedgerVerdict[] = [];
    for (let i = 0; i < 20; i += 1) entered.push(await enter(requestFor(`w${i}`)));
    expect(entered.filter(({ type }) => type === "go")).toEqual([]);
    pass(1000);
    expect((await enter(requestFor("w0"))).type).toBe("go");
  });

  test("what is struck is as if it had not been entered, and what has settled makes room", async () => {
    const { ledger, enter, pass } = start({
      fleet: { unfinishedMax: 1 },
      workloadBreaker: { rollsMax: 1, withinMs: 60_000 },
    });
    await enter(requestFor("a"));
    await ledger.withdraw(requestFor("a"));
    expect((await enter(requestFor("a"))).type).toBe("go");
    expect((await enter(requestFor("b"))).type).toBe("hold");
    pass(20_000);
    await ledger.settled(requestFor("a"), 20_000);
    expect((await enter(requestFor("b"))).type).toBe("go");
  });

  test("the end of a rollout gives back nothing of a roll that was entered since", async () => {
    const { ledger, enter, pass } = start({ fleet: { unfinishedMax: 1 } });
    await enter(requestFor("a"));
    pass(5000);
    await enter(requestFor("a"), "newer");
    pass(1000);
    await ledger.settled(requestFor("a"), 6000);
    expect((await enter(requestFor("b"))).type).toBe("hold");
    pass(5000);
    // Its own, by a clock that is behind.
    await ledger.settled(requestFor("a"), 8000);
    expect((await enter(requestFor("b"))).type).toBe("go");
  });

  test("a roll that was not made leaves the rollout before it unfinished", async () => {
    const { ledger, enter, pass } = start({ fleet: { unfinishedMax: 1 } });
    await enter(requestFor("a"));
    pass(5000);
    await enter(requestFor("a"), "newer");
    await ledger.withdraw(requestFor("a"));
    expect((await enter(requestFor("b"))).type).toBe("hold");
    pass(5000);
    await ledger.settled(requestFor("a"), 10_000);
    expect((await enter(requestFor("b"))).type).toBe("go");
  });

  test.each([
    ["has ended", 0],
    ["is forgotten", leaseMs - 2000],
  ])("a roll that was not made brings back no rollout that %s meanwhile", async (_, laterMs) => {
    const { ledger, enter, pass } = start({ fleet: { unfinishedMax: 1 } });
    await enter(requestFor("a"));
    pass(5000);
    await enter(requestFor("a"), "newer");
    pass(1000 + laterMs);
    if (laterMs === 0) await ledger.settled(requestFor("a"), 6000);
    await ledger.withdraw(requestFor("a"));
    expect((await enter(requestFor("b"))).type).toBe("go");
  });

  test.each(Array.from({ length: 20 }, (_, at) => at + 1))(
    "story %i has the same answers as the model has",
    async (seed) => {
      const random = new SeededRandom(seed);
      const limits = someLimits(random);
      const real = start(limits);
      const model = new MemoryRollLedger({ clock: { now: real.now }, limits });
      for (let step = 0; step < 120; step += 1) {
        real.pass(random.below(random.chance(0.1) ? 100_000 : 700));
        const request = requestFor(`w${random.below(12)}`, `ns${random.below(3)}`, `c${random.below(2)}`);
        const version = `v${random.below(5)}`;
        const [chance, ageMs] = [random.below(100), random.below(20_000)];
        const tell = async (ledger: RollLedger): Promise<unknown> => {
          if (chance < 15) return await ledger.settled(request, ageMs);
          if (chance < 20) return await ledger.withdraw(request);
          const sources = [{ id: "Secret/ns/db", version }];
          const foretold = await ledger.check(request, sources, never);
          if (chance < 30) return foretold;
          const answer = await ledger.admit(request, sources, never);
          expect(foretold, `step ${step}: what was foretold`).toEqual(answer);
          return answer;
        };
        expect(await tell(real.ledger), `step ${step}`).toEqual(await tell(model));
      }
    },
  );
}

function someLimits(random: SeededRandom): RollLimits {
  return {
    ...(random.chance(0.5) ? { workloadBreaker: { rollsMax: 1 + random.below(4), withinMs: 60_000 } } : {}),
    ...(random.chance(0.5) ? { sourceBreaker: { rollsMax: 1 + random.below(6), withinMs: 120_000 } } : {}),
    fleet: {
      rate: { rolls: 1 + random.below(9), perMs: 1000, burst: 1 + random.below(5) },
      unfinishedMax: 8,
    },
    ...(random.chance(0.5) ? { cluster: { rate: { rolls: 30, perMs: 60_000, burst: 2 } } } : {}),
    ...(random.chance(0.5) ? { namespace: { unfinishedMax: 1 + random.below(3) } } : {}),
  };
}
