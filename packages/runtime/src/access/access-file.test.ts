import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { until } from "@fleet-reloader/testkit/until";
import { afterEach, expect, test } from "vitest";
import { AccessFile } from "./access-file.ts";
import { tokenDigest, writeTokenDigest } from "./token-digest.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-access-"));
const path = join(folder, "access.yaml");
afterEach(() => rmSync(path, { force: true }));

function documentOf(...names: readonly string[]): string {
  return JSON.stringify({
    people: names.map((name) => ({
      name,
      tokens: [writeTokenDigest(tokenDigest(name))],
      grants: [{ role: "viewer", clusters: "*", namespaces: "*" }],
    })),
  });
}

const namesIn = async (file: AccessFile) => (await file.subjects()).map(({ name }) => name);

test("a file that is missing or damaged at the start is a fault", async () => {
  const log = new CollectedLog();
  await expect(AccessFile.open(path, log)).rejects.toThrow(
    `--access-file ${path}: it is missing; write the file, or leave the flag out`,
  );
  writeFileSync(path, "people: 7");
  await expect(AccessFile.open(path, log)).rejects.toThrow(`--access-file ${path}: people: 7 must be a list`);
});

test("a changed file counts with the next question; a damaged one leaves the last", async () => {
  const log = new CollectedLog();
  writeFileSync(path, documentOf("ann"));
  const file = await AccessFile.open(path, log);
  expect(await namesIn(file)).toEqual(["ann"]);
  writeFileSync(path, documentOf("ann", "bob"));
  expect(await namesIn(file)).toEqual(["ann", "bob"]);
  writeFileSync(path, "people: [");
  expect(await namesIn(file)).toEqual(["ann", "bob"]);
  expect(file.notes).toEqual([expect.stringContaining(`--access-file ${path}: it is neither YAML nor JSON`)]);
  rmSync(path);
  expect(await namesIn(file)).toEqual(["ann", "bob"]);
  expect(file.notes).toEqual([expect.stringContaining("it is missing")]);
  writeFileSync(path, documentOf("bob"));
  expect(await namesIn(file)).toEqual(["bob"]);
  expect(file.notes).toEqual([]);
});

test("a damaged file is noted although nobody asks", async () => {
  const clock = new ManualClock();
  const lifetime = new AbortController();
  writeFileSync(path, documentOf("ann"));
  const file = await AccessFile.open(path, new CollectedLog());
  const watching = file.watch(clock, lifetime.signal);
  writeFileSync(path, "people: [");
  await until("it is noted", async () => {
    await clock.advance(10_000);
    return file.notes.length === 1;
  });
  lifetime.abort();
  await expect(watching).resolves.toBeUndefined();
});
