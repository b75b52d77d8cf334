import process from "node:process";
import { Fault } from "@fleet-reloader/domain/fault";
import type { LoggedLine } from "@fleet-reloader/testkit/memory/collected-log";
import { test } from "vitest";
import { maxWaitMs, quietPeriodMs, Simulation } from "./fixture/simulation.ts";
import { judgeBursts, judgeSimulation } from "./fixture/simulation-oracle.ts";

// The code of production over memory doubles, driven by random commands; then all heals and the invariants are checked by
// a second implementation that reads only the API server. A seed is a whole story: run one with
//   SIMULATION_SEED=17 npx vitest run packages/engine/src/simulation.test.ts

const one = process.env.SIMULATION_SEED;
const seedsOf = (count: number) =>
  one === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(one)];

type Command = (world: Simulation) => Promise<string | undefined> | string | undefined;

type Weighted = readonly (readonly [weight: number, command: Command])[];

const does = (what: string, act: (world: Simulation) => void): Command => {
  return (world) => {
    act(world);
    return what;
  };
};

/** What goes on where nothing is wrong. */
const life: Weighted = [
  [30, (world) => world.people.editSource()],
  [3, (world) => world.people.deleteSource()],
  [4, (world) => world.people.editWorkload()],
  [5, (world) => world.people.touchStatus()],
  [
    30,
    async (world) => {
      const ms = world.random.below(world.random.chance(0.7) ? 1000 : 10_000);
      await world.pass(ms);
      return `${ms} ms`;
    },
  ],
  [
    60,
    async (world) => {
      for (let count = world.random.below(12); count > 0; count -= 1) {
        world.random.pick(world.gates)?.pass();
        await world.settle();
      }
      return undefined;
    },
  ],
];

const faults: Weighted = [
  [
    12,
    (world) => {
      const code = world.random.pick([
        "kube.timeout",
        "kube.server-error",
        "kube.throttled",
        "kube.unreachable",
        "kube.forbidden",
        "kube.conflict",
      ]);
      const gate = world.random.pick(world.gates);
      gate?.fail(new Fault(code, "simulated"));
      return gate && `${gate.moment} of ${gate.call.verb} ${gate.call.target}: ${code}`;
    },
  ],
  [4, does("a worker is killed", (world) => world.crashWorker())],
  [4, does("a worker freezes", (world) => world.freezeWorker())],
  [8, does("workers thaw", (world) => world.thawWorkers())],
  [4, does("a request is delivered twice", (world) => world.deliverTwice())],
  [3, does("somebody freezes", (world) => world.freeze())],
  [4, does("a freeze is lifted", (world) => world.unfreeze())],
  [2, does("watches are cut", (world) => world.cluster.cutWatches())],
  [2, does("watches are held", (world) => world.cluster.holdWatches())],
  [6, does("watches go on", (world) => world.cluster.resumeWatches())],
  [2, does("events are repeated", (world) => world.cluster.replayEvents(world.random.below(5)))],
  [2, does("the watcher is killed", (world) => world.restartWatcher())],
  [1, does("Redis is flushed", (world) => world.flushRedis())],
  [3, does("a call to Redis fails", (world) => world.cutRedis(false))],
  [3, does("the watcher is killed between two calls", (world) => world.cutRedis(true))],
  [1, does("Redis goes", (world) => world.setRedis("down"))],
  [4, does("Redis is back", (world) => world.setRedis("up"))],
  [1, does("the wall clock is set", (world) => world.clock.jump(world.random.below(100_000)))],
  [1, (world) => world.people.deleteWorkload()],
];

interface Story {
  readonly commands: Weighted;
  /** How often all goes wrong and is well again. */
  readonly rounds: number;
  readonly steps: number;
  readonly check: (world: Simulation) => readonly string[];
}

/** Plays the story of each seed; the first one that goes badly is told. */
async function play(seeds: readonly number[], story: Story): Promise<void> {
  for (const seed of seeds) {
    const world = new Simulation(seed);
    const told: string[] = [];
    for (let count = 0; count < 10; count += 1)
      told.push(world.people.editWorkload(), world.people.editSource());
    let problems: readonly string[] = [];
    for (let round = 0; round < story.rounds && problems.length === 0; round += 1)
      problems = await playRound(world, story, told);
    await world.end();
    if (problems.length === 0) continue;
    const replay = `SIMULATION_SEED=${seed} npx vitest run packages/engine/src/simulation.test.ts`;
    throw new Error([`seed ${seed}; again with: ${replay}`, ...problems, "before that:", ...told].join("\n"));
  }
}

async function playRound(world: Simulation, story: Story, told: string[]): Promise<readonly string[]> {
  const commands = story.commands.flatMap(([weight, command]) => Array<Command>(weight).fill(command));
  for (let step = 0; step < story.steps; step += 1) {
    const line = await world.random.pick(commands)?.(world);
    if (line !== undefined) told.push(`[${world.cluster.writes.length}] ${line}`);
    await world.settle();
  }
  await world.heal();
  told.push("all is well again");
  const writes = world.cluster.writes.length;
  await world.calm(10_000);
  return [
    ...story.check(world),
    ...(world.cluster.writes.length === writes ? [] : ["I1: it did not keep what it had reached"]),
    ...world.log.lines.filter(isBug).map((line) => `a bug of ours: ${JSON.stringify(line)}`),
  ];
}

function isBug({ fields }: LoggedLine): boolean {
  return "reason" in fields && fields.reason === "engine.invariant";
}

test("after any faults, once they end, no change is lost, no roll was without a reason, none was frozen (I1, I2, I7)", async () => {
  await play(seedsOf(200), {
    commands: [...life, ...faults],
    rounds: 4,
    steps: 60,
    check: judgeSimulation,
  });
}, 180_000);

/** Edits that follow each other quickly, for longer than the maximum wait, with pauses in between. */
const bursts: Weighted = [
  ...life,
  [
    60,
    async (world) => {
      const ms = world.random.below(world.random.chance(0.97) ? 400 : 5000);
      await world.pass(ms);
      return `${ms} ms`;
    },
  ],
  [40, (world) => world.people.editSource()],
];

test("where nothing fails, changes in quick succession cost one roll (I1, I2, I3)", async () => {
  await play(seedsOf(50), {
    commands: bursts,
    rounds: 2,
    steps: 400,
    check: (world) => [...judgeSimulation(world), ...judgeBursts(world, { quietPeriodMs, maxWaitMs })],
  });
}, 180_000);
