import { Fault } from "@fleet-reloader/domain/fault";
import { rollout } from "@fleet-reloader/domain/kind/rollout";
import type { StateListener, StreamState } from "@fleet-reloader/engine/ports/source-stream";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import type { Lookup } from "../discovery/api-resources.ts";
import { systemClock } from "../fixture/system-clock.ts";
import { OptionalStream } from "./optional-stream.ts";

const there: Lookup = { group: "argoproj.io", version: "v1alpha1", plural: "rollouts" };
const absent = { absent: "there is no such group" };

/** A resource that exists until told otherwise, and a list + watch of it that fails when told to. */
function startWorld() {
  const lifetime = new AbortController();
  const states: StreamState[] = [];
  const log = new CollectedLog();
  let lookup: Lookup | Fault = there;
  let listener: StateListener | undefined;
  const followed: string[] = [];
  const stream = new OptionalStream({
    kind: rollout,
    resources: {
      async find() {
        if (lookup instanceof Fault) throw lookup;
        return lookup;
      },
      forget: () => undefined,
    },
    reflect: ({ plural, version }) => ({
      async run(signal, onState) {
        followed.push(`${version} ${plural}`);
        listener = onState;
        onState("watching", "");
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        onState("stopped", "stopped");
      },
    }),
    clock: systemClock,
    log,
    absentMs: 10,
  });
  const running = stream.run(lifetime.signal, (state) => void states.push(state));
  return {
    log,
    states,
    followed,
    runs: () => followed.length,
    fail: (state: "blocked" | "backoff") => listener?.(state, "failed"),
    answer(next: Lookup | Fault) {
      lookup = next;
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      await running;
    },
  };
}

// To callers without the right, an API server answers 403 even for what does not exist.
test.each(["blocked", "backoff"] as const)(
  "a removed resource (%s) becomes absent, and is watched again when it returns",
  async (state) => {
    await using world = startWorld();
    await until("it is watched", () => world.runs() === 1);
    world.answer(absent);
    world.fail(state);
    await until("it is absent", () => world.states.includes("absent"));
    expect(world.states).not.toContain("stopped");
    world.answer(there);
    await until("it is watched again", () => world.runs() === 2);
    expect(world.states.at(-1)).toBe("watching");
    const said = () => world.log.messages("info").filter((line) => line.startsWith(absent.absent)).length;
    expect(said()).toBe(1);
    world.answer(absent);
    world.fail(state);
    await until("it is said again", () => said() === 2);
  },
);

test.each([
  ["version", { ...there, version: "v1" }, "v1 rollouts"],
  ["name", { ...there, plural: "rolls" }, "v1alpha1 rolls"],
])(
  "what is there by another %s is followed by that one, once the list + watch fails",
  async (_, next, now) => {
    await using world = startWorld();
    await until("it is watched", () => world.runs() === 1);
    world.answer(next);
    world.fail("backoff");
    await until("it is watched anew", () => world.runs() === 2);
    expect(world.followed).toEqual(["v1alpha1 rollouts", now]);
    expect(world.states).not.toContain("absent");
  },
);

test.each([
  ["it is still there", there],
  ["discovery does not answer", new Fault("kube.timeout", "no answer")],
])("a list + watch that fails goes on by itself when %s", async (_, answer) => {
  await using world = startWorld();
  await until("it is watched", () => world.runs() === 1);
  world.answer(answer);
  for (let count = 0; count < 5; count += 1) world.fail("backoff");
  await until("it was asked", () => world.states.filter((state) => state === "backoff").length === 5);
  expect(world.runs()).toBe(1);
  expect(world.states).not.toContain("absent");
});

test("discoveries that fail one after the other are one warning, until one succeeds", async () => {
  const [clock, log, lifetime] = [new ManualClock(), new CollectedLog(), new AbortController()];
  let lookup: Lookup | Fault = new Fault("kube.unreachable", "no route");
  const find = async () => {
    if (lookup instanceof Fault) throw lookup;
    return lookup;
  };
  const resources = { find, forget: () => undefined };
  const reflect = () => ({ run: async () => undefined });
  const stream = new OptionalStream({ kind: rollout, resources, reflect, clock, log });
  const running = stream.run(lifetime.signal, () => undefined);
  await clock.advance(30_000);
  expect(log.messages("warn")).toEqual(["discovery failed"]);
  lookup = absent;
  await clock.advance(60_000);
  lookup = new Fault("kube.unreachable", "no route");
  await clock.advance(120_000);
  expect(log.messages("warn")).toEqual(["discovery failed", "discovery failed"]);
  lifetime.abort();
  await running;
});
