import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { YoungGeneration } from "./young-generation.ts";

/** What is allowed and refused for these numbers of requests before each look, with the number of the look. */
async function decisions(takenBefore: readonly number[]): Promise<readonly string[]> {
  const lifetime = new AbortController();
  const young = new YoungGeneration();
  const told: string[] = [];
  let look = -1;
  const clock = {
    sleep: async () => {
      look += 1;
      const taken = takenBefore[look];
      if (taken === undefined) return lifetime.abort();
      for (let one = 0; one < taken; one += 1) young.requestTaken();
    },
  };
  const allow = (mayGrow: boolean) => told.push(`${mayGrow ? "may grow" : "stays"} at ${look}`);
  await young.growUnderLoad({ allow, clock, signal: lifetime.signal });
  return told;
}

const looks = (count: number, taken: number) => Array.from({ length: count }, () => taken);

test("a short burst of requests does not let the young generation grow", async () => {
  expect(await decisions([0, ...looks(5, 200), 0, ...looks(5, 200), 0])).toEqual([]);
});

test("a load lets the young generation grow until it has been over for 5 s", async () => {
  const load = [...looks(6, 40), ...looks(19, 0), 40, ...looks(30, 1)];
  expect(await decisions(load)).toEqual(["may grow at 5", "stays at 45"]);
});

test("V8 keeps it as small as services begin, and lets it grow when that is allowed", () => {
  const root = join(import.meta.dirname, "../../../..");
  const nodeArgs = readFileSync(join(root, "infra/bundle/node-args"), "utf8").trim().split(" ");
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { allowYoungGrowth } from ${JSON.stringify(join(import.meta.dirname, "young-generation.ts"))};
    const kept = [];
    const mibAfterLoad = () => {
      for (let i = 0; i < 3e6; i += 1) kept[i % 20_000] = { i, text: String(i), list: [i] };
      return getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size / 1024 / 1024;
    };
    allowYoungGrowth(false);
    const small = mibAfterLoad();
    allowYoungGrowth(true);
    console.log(JSON.stringify([small, mibAfterLoad()]));
  `;
  const told = execFileSync(process.execPath, [...nodeArgs, "--input-type=module", "-e", script]);
  // Two halves each.
  expect(JSON.parse(told.toString())).toEqual([2 * 4, 2 * 16]);
});
