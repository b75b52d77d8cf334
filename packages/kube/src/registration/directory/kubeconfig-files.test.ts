import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookAt } from "./kubeconfig-files.ts";

test("a file is read again only when it may have changed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fr-files-"));
  try {
    const path = join(folder, "a.yaml");
    writeFileSync(path, "one");
    const changedAt = statSync(path).ctimeMs;
    const [soon, later] = [changedAt + 1000, changedAt + 10_000];
    // Another change within the same tick of the file system's clock would be invisible.
    const young = await lookAt(path, undefined, soon);
    expect(young).toEqual({ type: "read", text: "one", stamp: "" });
    expect(await lookAt(path, "", later)).toMatchObject({ type: "read" });
    const old = await lookAt(path, undefined, later);
    const stamp = old.type === "read" ? old.stamp : "";
    expect(await lookAt(path, stamp, later)).toEqual({ type: "unchanged" });
    expect(await lookAt(path, stamp, soon)).toMatchObject({ type: "read" });
    writeFileSync(path, "two");
    expect(await lookAt(path, stamp, later + 60_000)).toMatchObject({ type: "read", text: "two" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
