import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kubeconfigFilesOf } from "./kubeconfig-files.ts";

test("what is configured counts, several files with colons between them and each once", () => {
  expect(kubeconfigFilesOf("/a/config", { HOME: "/nowhere" })).toEqual(["/a/config"]);
  expect(kubeconfigFilesOf("/a:/b::/a:", {})).toEqual(["/a", "/b"]);
});

test("otherwise the one in the home folder, when there is one", () => {
  const home = mkdtempSync(join(tmpdir(), "fr-home-"));
  try {
    expect(kubeconfigFilesOf("", { HOME: home })).toEqual([]);
    mkdirSync(join(home, ".kube"));
    writeFileSync(join(home, ".kube/config"), "");
    expect(kubeconfigFilesOf("", { HOME: home })).toEqual([join(home, ".kube/config")]);
    expect(kubeconfigFilesOf("/a", { HOME: home })).toEqual(["/a"]);
  } finally {
    rmSync(home, { recursive: true });
  }
  expect(kubeconfigFilesOf("", {})).toEqual([]);
});
