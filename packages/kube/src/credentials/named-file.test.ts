import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { describe, expect, test } from "vitest";
import { accessOf } from "../registration/access.ts";
import { Credentials } from "./credentials.ts";

const forever = new AbortController().signal;

/** A folder of registrations, and the credentials of a registration that names these files in it. */
function registered() {
  const folder = mkdtempSync(join(tmpdir(), "fr-named-"));
  return {
    pathOf: (file: string) => join(folder, file),
    credentials: (cluster: Record<string, string>, user: Record<string, string>): Credentials => {
      const origin = { named: "nova.yaml", folder, allowExec: [], allowLoopbackHttp: false };
      const access = accessOf("nova", { cluster: { server: "https://kube", ...cluster }, user }, origin);
      if (access.type !== "usable") throw new Error(access.why);
      return new Credentials(access.target, new ManualClock());
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const mend = "name a regular file of at most 1 MiB";

describe("a file that a registration names", () => {
  // Without a writer the read of a pipe never returns, so a defect here would hang the test instead of failing it.
  test.each([
    ["tokenFile", {}, { tokenFile: "pipe" }],
    ["certificate-authority", { "certificate-authority": "pipe" }, { token: "x" }],
    ["client-certificate", {}, { "client-certificate": "pipe", "client-key": "key" }],
    ["client-key", {}, { "client-certificate": "key", "client-key": "pipe" }],
  ])("is not read where it is a pipe: %s", async (field, cluster, user) => {
    using place = registered();
    writeFileSync(place.pathOf("key"), "x");
    const pipe = place.pathOf("pipe");
    execFileSync("mkfifo", [pipe]);
    const writer = spawn("sh", ["-c", 'echo x > "$0"', pipe]);
    try {
      await expect(place.credentials(cluster, user).get(forever)).rejects.toMatchObject({
        code: "kube.unauthorized",
        message: `credentials of context nova cannot be obtained: ${field} ${pipe} is no regular file; ${mend}`,
      });
    } finally {
      writer.kill();
    }
  });

  test("is not read where it is larger than any token or certificate", async () => {
    using place = registered();
    const file = place.pathOf("token");
    writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, "x"));
    await expect(place.credentials({}, { tokenFile: "token" }).get(forever)).rejects.toMatchObject({
      code: "kube.unauthorized",
      message: `credentials of context nova cannot be obtained: tokenFile ${file} is larger than 1 MiB; ${mend}`,
    });
  });

  test("is looked at before each read: a token that became a pipe is not read again", async () => {
    using place = registered();
    writeFileSync(place.pathOf("first"), "first");
    symlinkSync("first", place.pathOf("token"));
    const credentials = place.credentials({}, { tokenFile: "token" });
    const identity = await credentials.get(forever);
    expect(identity.headers.authorization).toBe("Bearer first");
    rmSync(place.pathOf("first"));
    execFileSync("mkfifo", [place.pathOf("first")]);
    const writer = spawn("sh", ["-c", 'echo x > "$0"', place.pathOf("first")]);
    try {
      credentials.invalidate(identity);
      await expect(credentials.get(forever)).rejects.toMatchObject({
        message: expect.stringContaining("is no regular file"),
      });
    } finally {
      writer.kill();
    }
  });
});
