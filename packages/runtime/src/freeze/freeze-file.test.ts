import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FreezeFile } from "./freeze-file.ts";

function inFolder() {
  const folder = mkdtempSync(join(tmpdir(), "fr-freeze-"));
  const path = join(folder, "sub", "freezes.yaml");
  return {
    folder,
    path,
    file: new FreezeFile(path),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test("a file that is not there says nothing, and is made when something is written", async () => {
  using at = inFolder();
  expect(await at.file.text()).toBeUndefined();
  await at.file.write((before) => `${before}`);
  expect(await at.file.text()).toBe("undefined");
  expect(readdirSync(join(at.folder, "sub"))).toEqual(["freezes.yaml"]);
});

test("every change is seen by the very next read, however quickly they follow", async () => {
  using at = inFolder();
  await at.file.write(() => "0");
  for (let i = 1; i < 200; i += 1) {
    writeFileSync(at.path, String(i % 10));
    expect(await at.file.text()).toBe(String(i % 10));
  }
});

test("a link that leads nowhere is an error, and no missing file", async () => {
  using at = inFolder();
  const link = join(at.folder, "link.yaml");
  symlinkSync(join(at.folder, "nowhere.yaml"), link);
  await expect(new FreezeFile(link).text()).rejects.toThrow("it is a link to a missing file");
});

test("a file that cannot be read is an error, and no empty document", async () => {
  using at = inFolder();
  await expect(new FreezeFile(at.folder).text()).rejects.toThrow("the file cannot be read (EISDIR)");
});

// For two commands, or a command and the page: a reported freeze must exist.
test("of writes at the same time none is lost", async () => {
  using at = inFolder();
  const files = [at.file, new FreezeFile(at.path)];
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  await Promise.all(
    names.map((name, index) => files[index % 2]?.write((before) => `${before ?? ""}${name} `)),
  );
  expect((await at.file.text())?.trim().split(" ").toSorted()).toEqual(names.toSorted());
  expect(readdirSync(join(at.folder, "sub"))).toEqual(["freezes.yaml"]);
});

test("the lock of a process that died does not keep anybody from freezing", async () => {
  using at = inFolder();
  await at.file.write(() => "0");
  const lock = `${at.path}.lock`;
  writeFileSync(lock, "");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  await at.file.write(() => "1");
  expect(await at.file.text()).toBe("1");
  expect(readdirSync(join(at.folder, "sub"))).toEqual(["freezes.yaml"]);
});
