import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const hub = await rendered(matrix["a hub that receives audit events"] ?? {});
const valkeyArgs = (objects: readonly Manifest[]): readonly string[] => {
  const args = at(the(objects, "StatefulSet"), "spec", "template", "spec", "containers", 0, "args");
  return Array.isArray(args) ? args.map(String) : [];
};
const password = "from-the-secret";

/** What a Redis of these arguments answers, a line for each answer; it ends with QUIT. */
async function answers(socket: string, commands: readonly string[]): Promise<string> {
  const connection = connect(socket);
  connection.write(`${[...commands, "QUIT"].join("\r\n")}\r\n`);
  return await text(connection);
}

/** The Valkey of the release as the pod starts it, but for the port and the folder. */
async function startValkey(folder: string) {
  const socket = join(folder, "redis.sock");
  const args = valkeyArgs(hub).map((arg) =>
    arg === "/data" ? folder : arg.replace("$(VALKEY_PASSWORD)", password),
  );
  expect(args).not.toContain("--requirepass");
  const server = spawn("redis-server", [...args, "--port", "0", "--unixsocket", socket], { stdio: "ignore" });
  const ended = once(server, "exit");
  await until("it answers", async () => (await answers(socket, ["PING"]).catch(() => "")).includes("NOAUTH"));
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await ended;
    },
  };
}

test("the Valkey of the release has a user for each role, and no default one", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fr-users-"));
  await using valkey = await startValkey(folder.path);
  const { socket } = valkey;
  for (const given of [`AUTH ${password}`, `AUTH default ${password}`, "AUTH default anything"])
    expect(await answers(socket, [given])).toContain("WRONGPASS");
  for (const user of ["watcher", "worker", "dashboard", "operator"]) {
    const told = await answers(socket, [`AUTH ${user} ${password}`, "PING", "FLUSHALL"]);
    expect(told).toMatch(/^\+OK\r\n\+PONG\r\n-NOPERM/);
  }
  const read = ["AUTH dashboard from-the-secret", "GET {fleet-reloader:fleet}:shards"];
  expect(await answers(socket, read)).toContain("$-1");
  const written = ["AUTH dashboard from-the-secret", "SET {fleet-reloader:fleet}:shards 1"];
  expect(await answers(socket, written)).toContain("-NOPERM");
});

test("the Valkey of the release has after a restart what transactions wrote before it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fr-users-"));
  const login = `AUTH watcher ${password}`;
  const shards = "{fleet-reloader:fleet}:shards";
  {
    await using before = await startValkey(folder.path);
    const written = ["MULTI", `SET ${shards} 8`, "SET {fleet-reloader:fleet}:clusters 1", "EXEC"];
    expect(await answers(before.socket, [login, ...written])).toContain("*2\r\n+OK\r\n+OK\r\n");
  }
  await using after = await startValkey(folder.path);
  expect(await answers(after.socket, [login, `GET ${shards}`])).toContain("$1\r\n8\r\n");
});

test("each service logs in to it as the user of its role", async () => {
  const urlOf = (objects: readonly Manifest[], service: string) => {
    const container = at(
      the(objects, "Deployment", `reloader-reloader-${service}`),
      "spec",
      "template",
      "spec",
    );
    return /redis:[^"]+/.exec(JSON.stringify(at(container, "containers", 0, "env")))?.[0];
  };
  const host = "reloader-reloader-valkey.tools.svc:6379";
  expect(urlOf(hub, "watcher")).toBe(`redis://watcher@${host}`);
  expect(urlOf(hub, "worker")).toBe(`redis://worker@${host}`);
  const valkey = { enabled: true, usersPerRole: true, existingSecret: "ours" };
  const own = await rendered({ values: { fleetReloader: { mode: "hub", hub: { valkey } } } });
  expect(urlOf(own, "worker")).toBe(`redis://worker:$(VALKEY_PASSWORD)@${host}`);
});

test("without it the Valkey has a password and no users", async () => {
  const objects = await rendered({
    values: { fleetReloader: { mode: "hub", hub: { valkey: { enabled: true } } } },
  });
  expect(valkeyArgs(objects).slice(-2)).toEqual(["--requirepass", "$(VALKEY_PASSWORD)"]);
  expect(valkeyArgs(objects).join(" ")).not.toContain("--user");
});
