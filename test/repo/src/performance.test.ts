import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../bench/src/report/results.ts";
import { root } from "./root.ts";

const files = globSync("test/bench/accepted/*.json", { cwd: root });

test("accepted results are of whole runs beside a peer, on a real API server", () => {
  expect(files).toContain("test/bench/accepted/B01.json");
  for (const file of files) {
    const { options, runs, machine } = readResults(join(root, file));
    expect(options, file).toMatchObject({ isReal: true, isQuick: false, peer: { name: expect.any(String) } });
    expect(machine.isTreeClean, file).toBe(true);
    expect(runs.flatMap(({ problems }) => problems)).toEqual([]);
    expect(runs.map(({ id }) => `test/bench/accepted/${id}.json`)).toEqual([file]);
  }
});

test("accepted results name no path of the machine that made them", () => {
  for (const file of files) expect(readFileSync(join(root, file), "utf8"), file).not.toMatch(/"(--\S*=)?\//);
});
