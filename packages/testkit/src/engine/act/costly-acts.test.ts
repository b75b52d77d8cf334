import { coveredByFreeze } from "@fleet-reloader/engine/act/covered-by-freeze";
import { meantWorkloads } from "@fleet-reloader/engine/act/meant-workloads";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { expect, test } from "vitest";
import { compileBusy, withTurns } from "../../busy-patterns.ts";
import { wallClock } from "../../wall-clock.ts";

const source = { kind: "ConfigMap", name: "app" } as const;
const workloads = Array.from({ length: 60 }, (_, at) => ({
  ref: { kind: "Deployment", namespace: "shop", name: `w${at}` },
  sources: [],
  patterns: [
    ["Secret", "last"],
    ["ConfigMap", at === 59 ? "last" : `a${at}.*`],
  ] as const,
}));
const cluster = { name: "nova", id: "uid-1", labels: {}, status: { state: "Ready", why: [] } } as const;
const counted = { watcher: undefined, workloads: 60, unobserved: 0, rollouts: 0 };
const managed = async () => workloads;
const overview = { clusters: async () => [{ ...cluster, ...counted }], managed };

async function meantByAct(names: NameMatches) {
  const place = { cluster: "nova", namespace: "" };
  const meant = await meantWorkloads({ type: "source", ...source }, place, { names, overview });
  return meant.map(({ workload }) => workload.name);
}

async function frozen(names: NameMatches) {
  const { covered } = await coveredByFreeze({ source }, [cluster], { names, managed });
  return covered.map(({ ref }) => ref.name);
}

// One question of one person kept a dashboard, or the process that does everything, from all others.
test.each([
  ["an act", meantByAct],
  ["a freeze", frozen],
])("others have their turn while %s asks many patterns", async (_, ask) => {
  const { result, turns } = await withTurns(ask(new NameMatches({ compile: compileBusy, clock: wallClock })));
  expect(result).toEqual(["w59"]);
  // 120 ms of work in slices of about 6 ms: without them there are none, and 10 at least however busy the machine is.
  expect(turns).toBeGreaterThan(10);
});
