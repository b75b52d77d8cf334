import { type HeldRequest, isOver, watchHolds } from "@fleet-reloader/engine/admission/held-requests";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const held: HeldRequest = {
  id: "7",
  request: { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } },
  reason: "Frozen",
  againAtMs: 1000,
};

test("a hold is over at its end, when the check says so, or when its time has come", async () => {
  expect(await isOver({ ...held, untilMs: 5000 }, 5000, async () => true)).toBe(true);
  expect(await isOver({ ...held, untilMs: 5000 }, 4999, async () => true)).toBe(false);
  expect(await isOver(held, 0, async () => false)).toBe(true);
  expect(await isOver(held, 9999, async () => true)).toBe(false);
  expect(await isOver(held, 999, async () => undefined)).toBe(false);
  expect(await isOver(held, 1000)).toBe(true);
});

/** Holds that are watched; what is asked of the queue is noted down. */
function watched(own: { readonly isStillHeld: boolean | undefined }) {
  const clock = new ManualClock();
  const lifetime = new AbortController();
  const listed: readonly HeldRequest[] = [{ ...held, againAtMs: clock.now() }];
  const world = {
    listed,
    basis: "frozen",
    basisAsked: 0,
    isAway: false,
    count: 10_000,
    list: (): Promise<readonly HeldRequest[]> => Promise.resolve(world.listed),
    ...own,
  };
  const asked: string[] = [];
  const basisOf = async () => {
    world.basisAsked += 1;
    return world.basis;
  };
  const end = watchHolds(
    {
      clock,
      log: new CollectedLog(),
      check: { isStillHeld: async () => world.isStillHeld, basisOf },
      held: {
        count: async () => world.count,
        async list() {
          asked.push("all");
          return await world.list();
        },
        async listDue(afterMs, untilMs) {
          asked.push("due");
          if (world.isAway) throw new Error("away");
          return world.listed.filter(({ againAtMs }) => againAtMs > afterMs && againAtMs <= untilMs);
        },
        async release(over) {
          asked.push(`release ${over.map(({ id }) => id)}`);
        },
      },
    },
    lifetime.signal,
  );
  const stop = async () => {
    lifetime.abort();
    await end;
  };
  return { clock, world, asked, stop };
}

test("few holds are all read each second: one that began just now may be over already", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: true });
  world.listed = [];
  world.count = 0;
  await clock.advance(2000);
  world.listed = [held];
  world.count = 1;
  world.isStillHeld = false;
  await clock.advance(1000);
  expect(asked).toEqual(["all", "all", "all", "release 7"]);
  // All are read anyway.
  expect(world.basisAsked).toBe(0);
  await stop();
});

/** When something was released, in seconds, while a worker holds it again each time. */
async function releases(reason: string, seconds: number): Promise<readonly number[]> {
  const { clock, asked, world, stop } = watched({ isStillHeld: false });
  world.count = 1;
  world.listed = [{ ...held, reason, againAtMs: clock.now() + 3_600_000 }];
  const at: number[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    await clock.advance(1000);
    if (asked.splice(0).includes("release 7")) at.push(second);
  }
  await stop();
  return at;
}

test.each(["ClusterUnreachable", "ClusterUnknown"])(
  "%s is released each second at first, then less often, at last once a minute",
  async (reason) => {
    const atFirst = Array.from({ length: 11 }, (_, at) => at + 1);
    expect(await releases(reason, 260)).toEqual([...atFirst, 13, 17, 25, 41, 73, 133, 193, 253]);
  },
);

test("what a worker cannot see otherwise is released whenever it has ended", async () => {
  expect(await releases("Frozen", 4)).toEqual([1, 2, 3, 4]);
});

test("a cluster that comes back after a while is not made to wait for what was before", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: false });
  world.count = 1;
  world.listed = [{ ...held, reason: "ClusterUnreachable" }];
  const released = () => asked.splice(0).filter((what) => what === "release 7").length;
  await clock.advance(40_000);
  expect(released()).toBe(14);
  world.isStillHeld = true;
  await clock.advance(60_000);
  expect(released()).toBe(0);
  world.isStillHeld = false;
  await clock.advance(3000);
  expect(released()).toBe(3);
  await stop();
});

test("of many holds those that are due are read each second, and all every ten seconds", async () => {
  const { clock, asked, stop } = watched({ isStillHeld: true });
  await clock.advance(11_000);
  expect(asked).toEqual(["all", ...Array<string>(9).fill("due"), "all"]);
  await stop();
  await clock.advance(5000);
  expect(asked).toHaveLength(11);
});

test("of holds that have become many all are read once more, and then by what changes", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: true });
  world.count = 1000;
  await clock.advance(2000);
  world.count = 1001;
  await clock.advance(3000);
  expect(asked).toEqual(["all", "all", "all", "due", "due"]);
  await stop();
});

test("of many holds all are read in the second of a change that may have ended them", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: true });
  await clock.advance(2000);
  world.basis = "free";
  world.isStillHeld = false;
  await clock.advance(1000);
  expect(asked).toEqual(["all", "due", "all", "release 7"]);
  await stop();
});

test("whoever stops while Redis is away does not wait for it", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: true });
  world.list = () => new Promise<never>(() => undefined);
  await clock.advance(1000);
  expect(asked).toEqual(["all"]);
  await stop();
});

test("a hold whose time comes while Redis is away is seen when it is back", async () => {
  const { clock, asked, world, stop } = watched({ isStillHeld: undefined });
  world.listed = [{ ...held, againAtMs: clock.now() + 2500 }];
  await clock.advance(2000);
  world.isAway = true;
  await clock.advance(1000);
  world.isAway = false;
  await clock.advance(1000);
  expect(asked).toEqual(["all", "due", "due", "due", "release 7"]);
  await stop();
});
