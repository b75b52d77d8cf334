import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { holds, until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { describe, expect, test } from "vitest";
import { RedisClient } from "./client.ts";
import { EmbeddedServer, type EmbeddedServerOptions } from "./embedded-server.ts";

/** A data folder for one test. Servers that were started in it end before it is removed. */
function dataFolder() {
  const dataDir = mkdtempSync(join(tmpdir(), "fr-embedded-"));
  const log = new CollectedLog();
  const ends: (() => Promise<void>)[] = [];
  return {
    ...{ dataDir, log },
    /** The id of the process that began last; it is written after the socket is made, and before the server answers. */
    pid: () => Number(readFileSync(join(dataDir, "redis.pid"), "utf8")),
    async start(options: Partial<EmbeddedServerOptions> = {}) {
      const given = { dataDir, searchPath: process.env.PATH ?? "", clock: wallClock, log, ...options };
      const server = await EmbeddedServer.start(given);
      const client = new RedisClient({ socketPath: server.socketPath }, log);
      ends.push(
        () => client.close(),
        () => server.stop(),
      );
      return { server, client };
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A process that has ended but was not reaped yet has an empty command line. */
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";

/** Starts a server of the folder whose parent is gone. */
async function leaveBehind(dataDir: string): Promise<number> {
  const options = ["--port", "0", "--dir", dataDir, "--appendonly", "yes", "--daemonize", "yes"];
  const [pidFile, socket] = [join(dataDir, "redis.pid"), join(dataDir, "redis.sock")];
  const places = ["--unixsocket", socket, "--pidfile", pidFile];
  execFileSync("redis-server", [...options, ...places], { stdio: "ignore" });
  await until("it has begun", () => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
  return Number(readFileSync(pidFile, "utf8"));
}

describe("the embedded Redis", () => {
  test("answers on a socket that only we may use, and on no port", async () => {
    await using folder = dataFolder();
    const { client, server } = await folder.start();
    expect(await client.connection.ping()).toBe("PONG");
    expect(await client.connection.config("GET", "port")).toEqual(["port", "0"]);
    expect(await client.connection.config("GET", "maxmemory-policy")).toEqual([
      "maxmemory-policy",
      "noeviction",
    ]);
    expect(await client.connection.config("GET", "hash-max-listpack-value")).toContain("512");
    expect(statSync(server.socketPath).mode & 0o777).toBe(0o700);
  });

  test("keeps what it was told over a stop and a start", async () => {
    await using folder = dataFolder();
    const first = await folder.start();
    await first.client.connection.set("told", "yes");
    await first.server.stop();
    const second = await folder.start();
    expect(await second.client.connection.get("told")).toBe("yes");
  });

  test("is started again when it is killed, and clients are told by a new connection", async () => {
    await using folder = dataFolder();
    const { client } = await folder.start();
    await client.connection.ping();
    const before = folder.pid();
    process.kill(before, "SIGKILL");
    await until("it is another process", () => folder.pid() !== before);
    expect(await client.connection.ping()).toBe("PONG");
    expect(client.connections).toBe(2);
    expect(folder.log.messages("warn")).toContain("redis-server ended; starting it again");
  });

  test("is started again at once when it is killed while a child of its own saves", () =>
    atBest(async () => {
      await using folder = dataFolder();
      const { client } = await folder.start();
      // In microseconds: saving lasts as long as this test.
      await client.connection.config("SET", "rdb-key-save-delay", 600_000_000);
      await client.connection.set("told", "yes");
      await client.connection.bgsave();
      const before = folder.pid();
      process.kill(before, "SIGKILL");
      await until("it is another process", () => folder.pid() !== before, 5000);
      expect(await client.connection.ping()).toBe("PONG");
    }));

  test("with damaged files tries three times, then puts them aside and starts empty", async () => {
    await using folder = dataFolder();
    const first = await folder.start();
    await first.client.connection.set("told", "yes");
    await first.client.close();
    await first.server.stop();
    const files = join(folder.dataDir, "appendonlydir");
    for (const name of readdirSync(files).filter((each) => each.endsWith(".base.rdb")))
      writeFileSync(join(files, name), "no file of Redis");
    // Files that were moved aside earlier are removed.
    mkdirSync(`${files}.damaged`);
    const { client } = await folder.start();
    await until("it answers", async () => (await client.connection.ping()) === "PONG");
    expect(await client.connection.get("told")).toBeNull();
    const ends = folder.log.messages("warn").filter((each) => each.startsWith("redis-server ended"));
    expect(ends).toHaveLength(3);
    expect(folder.log.lines.filter(({ level }) => level === "error")).toMatchObject([
      {
        message: "redis-server cannot read its files; they are moved aside, and it starts empty",
        fields: {
          dataDir: folder.dataDir,
          movedTo: [`${files}.damaged`],
          err: expect.stringMatching(/base\.rdb/),
        },
      },
    ]);
    expect(readdirSync(`${files}.damaged`)).toContain("appendonly.aof.manifest");
  });

  test("that does not end when it is asked to is killed", async () => {
    await using folder = dataFolder();
    const sleep: typeof wallClock.sleep = (ms, signal) => wallClock.sleep(ms / 50, signal);
    const { client, server } = await folder.start({ clock: { ...wallClock, sleep } });
    await client.connection.ping();
    const pid = folder.pid();
    process.kill(pid, "SIGSTOP");
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(folder.log.messages("warn")).toContain("redis-server does not end; it is killed");
  });

  // Without free descriptors a child has no output and emits no end. This test runs in a process of its own that may run out of them.
  test("that cannot even be spawned is tried again, and starts when it can", async () => {
    await using folder = dataFolder();
    const server = JSON.stringify(new URL("embedded-server.ts", import.meta.url).href);
    const clock = JSON.stringify(import.meta.resolve("@fleet-reloader/testkit/wall-clock"));
    const script = `import { closeSync, existsSync, openSync } from "node:fs";
      import { EmbeddedServer } from ${server};
      import { wallClock as clock } from ${clock};
      const open = [];
      const say = (_, message) => {
        if (message === "redis-server cannot be started") for (const one of open.splice(0)) closeSync(one);
        // What can be said when there are no descriptors is said later.
        setTimeout(() => console.log(message), 100);
      };
      const log = { debug: say, info: say, warn: say, error: say, child: () => log };
      const options = { dataDir: process.argv[1], searchPath: process.env.PATH, clock, log };
      console.log("begins");
      try { for (;;) open.push(openSync("/dev/null")); } catch {}
      const redis = await EmbeddedServer.start(options);
      console.log(existsSync(redis.socketPath) ? "started" : "not started");
      await redis.stop();
      process.exit(0);`;
    const limited = ["-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath];
    const child = spawn("sh", [...limited, "--input-type=module", "-e", script, folder.dataDir], {
      timeout: 120_000,
      killSignal: "SIGKILL",
    });
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(output.trim().split("\n")).toEqual([
      "begins",
      "redis-server cannot be started",
      "redis-server ended; starting it again",
      "started",
    ]);
  });

  test("that cannot start says why, and is tried again ever more rarely", async () => {
    await using folder = dataFolder();
    const first = await folder.start();
    await first.client.connection.set("told", "yes");
    await first.client.close();
    await first.server.stop();
    for (const name of readdirSync(join(folder.dataDir, "appendonlydir")).filter((each) =>
      each.endsWith(".incr.aof"),
    ))
      writeFileSync(join(folder.dataDir, "appendonlydir", name), "no command of Redis\r\n");
    const ends = () => folder.log.lines.filter(({ message }) => message.startsWith("redis-server ended"));
    // A server that ends late counts as started and is retried soon: here no second passes.
    const slow = { ...wallClock, monotonic: () => wallClock.monotonic() / 1000 };
    const starting = folder.start({ clock: slow });
    await until("it has ended three times", () => ends().length >= 3);
    const why = {
      dataDir: folder.dataDir,
      err: expect.stringMatching(/^Bad file format reading the append/),
    };
    expect(ends().slice(0, 3)).toMatchObject(
      [100, 200, 400].map((retryInMs) => ({ fields: { ...why, retryInMs } })),
    );
    await starting;
  });

  test("stays ended when it is stopped, also while it is about to be started again", async () => {
    await using folder = dataFolder();
    const { client, server } = await folder.start();
    await client.connection.ping();
    const pid = folder.pid();
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => !isAlive(pid));
    await until("its end is noticed", () => folder.log.messages("warn").length > 0);
    await server.stop();
    await server.stop();
    // A new server would start after 100 ms.
    await holds("no other process begins", 300, () => folder.pid() === pid);
  });

  test.each(["SIGCONT", "SIGSTOP"] as const)(
    "that was left behind with %s by a killed parent is ended, and its state is kept",
    async (signal) => {
      await using folder = dataFolder();
      const orphan = await leaveBehind(folder.dataDir);
      process.kill(orphan, signal);
      await (await folder.start()).client.connection.ping();
      expect(isAlive(orphan)).toBe(false);
      expect(folder.pid()).not.toBe(orphan);
      const isKilled = folder.log.messages("warn").includes("redis-server does not end; it is killed");
      expect(isKilled).toBe(signal === "SIGSTOP");
    },
  );

  // The number was given to another Redis since, for example the system's own after a reboot, which must not be touched.
  test("ends no Redis but one of its own folder, whatever its pid file says", async () => {
    await using other = dataFolder();
    await using folder = dataFolder();
    const { client: its } = await other.start();
    await its.connection.ping();
    const stranger = other.pid();
    writeFileSync(join(folder.dataDir, "redis.pid"), String(stranger));
    const { client } = await folder.start();
    expect(await client.connection.ping()).toBe("PONG");
    expect(isAlive(stranger)).toBe(true);
  });
});

describe("what keeps the embedded Redis from being started is said, with the mend", () => {
  const refusal = { code: "config.invalid", class: "misconfigured" };

  test("another one of a living process on the same folder, which goes on undisturbed", async () => {
    await using folder = dataFolder();
    const { client, server } = await folder.start();
    await client.connection.ping();
    await expect(folder.start()).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(
        /^--data-dir .*another fleet-reloader is running on it; give each its own/,
      ),
    });
    expect(await client.connection.ping()).toBe("PONG");
    expect(existsSync(server.socketPath)).toBe(true);
  });

  test("a path too long for a socket", async () => {
    await using folder = dataFolder();
    const dataDir = join(folder.dataDir, "x".repeat(100));
    await expect(folder.start({ dataDir })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("at most 96 bytes"),
    });
  });

  test("a folder that cannot be made", async () => {
    await using folder = dataFolder();
    writeFileSync(join(folder.dataDir, "file"), "");
    await expect(folder.start({ dataDir: join(folder.dataDir, "file/below") })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("name a folder this process may write to"),
    });
  });

  test("no program to start", async () => {
    await using folder = dataFolder();
    await expect(folder.start({ searchPath: folder.dataDir })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("install one (Debian: apt-get install redis-server)"),
    });
  });
});
