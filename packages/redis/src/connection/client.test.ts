import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { passed, until } from "@fleet-reloader/testkit/until";
import { Cluster } from "ioredis";
import { describe, expect, test } from "vitest";
import { startMasterService } from "../fixture/master-service.ts";
import { RedisClient, redisAddress, redisProblem, verifyServer } from "./client.ts";
import { Keys } from "./keys.ts";
import { guardShards } from "./shard-guard.ts";

describe("an address of Redis", () => {
  test.each(["redis://127.0.0.1:6379", "rediss://user:p%40ss@redis.example:6380/2", "redis://[::1]:6379"])(
    "may be %s",
    (url) => expect(redisAddress(url)).toEqual({ url }),
  );

  test.each([
    "127.0.0.1:6379",
    "http://redis:6379",
    "redis://",
    "redis:///0",
    "redis://h:99999999",
    "redis://h:6379/first",
    "unix:/run/redis",
  ])("is not %s; the message says what one is, without a password", (url) => {
    expect(() => redisAddress(url)).toThrow("--redis-url: this is no Redis URL; write redis://");
    expect(() => redisAddress(`${url} user:canary@`)).not.toThrow("canary");
  });

  test.each([
    ["redis-cluster://a:7000", { nodes: [{ host: "a", port: 7000 }], tls: false }],
    [
      "rediss-cluster://user:p%40ss@a:7000,[::1]:7001/",
      {
        nodes: [
          { host: "a", port: 7000 },
          { host: "::1", port: 7001 },
        ],
        ...{ tls: true, username: "user", password: "p@ss" },
      },
    ],
    [
      "redis-cluster://:secret@a:7000",
      { nodes: [{ host: "a", port: 7000 }], tls: false, password: "secret" },
    ],
  ])("may name the nodes of a Redis Cluster: %s", (url, address) =>
    expect(redisAddress(url)).toEqual(address),
  );

  test.each([
    "redis-cluster://",
    "redis-cluster://:canary@",
    "redis-cluster://canary@host",
    "redis-cluster://canary@host:0",
    "rediss-cluster://canary@host:7000/1",
    "redis-cluster://canary@a:7000,,b:7000",
    "redis-cluster://canary%zz@a:7000",
  ])("of a Redis Cluster is not %s, and the message holds no password", (url) => {
    expect(() => redisAddress(url)).toThrow("--redis-url: this names no nodes of a Redis Cluster; write");
    expect(() => redisAddress(url)).not.toThrow("canary");
  });

  test("whose user or password has a bare % names the mend and not the password", () => {
    const url = "redis://user:canary%zz@h:6379";
    expect(() => redisAddress(url)).toThrow("--redis-url: its user or password has a % that begins no code");
    expect(() => redisAddress(url)).not.toThrow("canary");
    expect(redisAddress("redis://user:50%25@h:6379")).toEqual({ url: "redis://user:50%25@h:6379" });
  });

  test("that is missing is asked for", () => {
    expect(() => redisAddress("")).toThrow("--redis-url: it is missing");
  });
});

describe("a server", () => {
  const info = (version: string, policy?: string) =>
    [
      "# Server",
      `redis_version:${version}`,
      "os:Linux",
      ...(policy === undefined ? [] : [`maxmemory_policy:${policy}`]),
    ].join("\r\n");

  test.each([
    ["7.0.0", "noeviction"],
    ["7.0.15", undefined],
    ["7.2.4", "noeviction"],
    ["10.0.0", "noeviction"],
  ])("of version %s with policy %s will do", (version, policy) => {
    expect(redisProblem(info(version, policy))).toBeUndefined();
  });

  test.each(["6.2.14", "5.0.14", "2.8.24", "6.1.240"])("of version %s is too old", (version) => {
    expect(redisProblem(info(version, "noeviction"))).toMatch(
      /^this Redis is version \d\.\d; use Redis 7.0 or newer, or Valkey$/,
    );
  });

  // Queued work would vanish silently.
  test.each(["allkeys-lru", "volatile-ttl", "allkeys-random"])(
    "that evicts keys by %s is refused",
    (policy) => {
      expect(redisProblem(info("7.2.4", policy))).toContain(`maxmemory-policy ${policy}`);
    },
  );

  // Some managed servers hide their version; they are accepted.
  test("that does not tell its version is not refused for that", () => {
    expect(redisProblem("# Server")).toBeUndefined();
  });

  test("is every node of a Redis Cluster, and each is logged in to as the URL says", async () => {
    await using redis = await startRedisCluster();
    const admin = new RedisClient(redisAddress(redis.url), new CollectedLog());
    const nodesOf = ({ connection }: RedisClient) =>
      connection instanceof Cluster ? connection.nodes("master") : [];
    await verifyServer(admin);
    for (const node of nodesOf(admin)) {
      await node.acl("SETUSER", "reloader", "on", ">p@ss:word", "~{fleet-reloader*", "&*", "+@all");
      await node.acl("SETUSER", "default", "nopass", "-@all", "+ping", "+auth");
    }
    const url = redis.url.replace("://", "://reloader:p%40ss%3Aword@");
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(url), log);
    await verifyServer(client);
    expect(nodesOf(client)).toHaveLength(3);
    for (const node of nodesOf(client)) expect(await node.acl("WHOAMI")).toBe("reloader");
    await client.connection.set(new Keys("fleet-reloader", 4).fleet.shards, "4");
    await nodesOf(client)[0]?.config("SET", "maxmemory-policy", "allkeys-lru");
    await expect(verifyServer(client)).rejects.toMatchObject({ code: "redis.unsuitable" });
    expect(log.text).not.toContain("word");
    await Promise.all([client.close(), admin.close()]);
  });

  test("that does not let us in is refused with the mend, and without the password", async () => {
    await using redis = await startRedis();
    const admin = new RedisClient(redisAddress(redis.url), new CollectedLog());
    await admin.connection.acl("SETUSER", "reader", "on", ">right", "~*", "+ping", "+info");
    await admin.connection.acl("SETUSER", "default", ">right");
    const login = (text: string) => redis.url.replace("://", `://${text}`);
    const asked = async (url: string) => {
      const client = new RedisClient(redisAddress(url), new CollectedLog());
      const keys = new Keys("fleet-reloader");
      const refused = verifyServer(client).then(() => guardShards({ client, keys }));
      const error = await refused.then(
        () => "let in",
        (fault: unknown) => fault,
      );
      await client.close();
      return error;
    };
    const refusal = (mend: string) => ({
      ...{ code: "redis.unsuitable", class: "misconfigured" },
      message: expect.stringMatching(new RegExp(`^--redis-url: (?!.*canary).*${mend}`)),
    });
    expect(await asked(login(":canary@"))).toMatchObject(refusal("WRONGPASS.*percent-encoded"));
    expect(await asked(redis.url)).toMatchObject(refusal("NOAUTH.*percent-encoded"));
    expect(await asked(login("reader:right@"))).toMatchObject(
      refusal("may not run EXISTS on .*NOPERM.*give it"),
    );
    expect(await asked(login(":right@"))).toBe("let in");
    // ioredis itself would continue in database 0.
    expect(await asked(`${login(":right@")}/99`)).toMatchObject(refusal("write another number"));
    expect(await asked(`${login(":right@")}/3`)).toBe("let in");
    await admin.close();
  });

  test("that is no Redis Cluster, and was meant to be one, is told of with what it says", async () => {
    await using redis = await startRedis();
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redis.url.replace("redis:", "redis-cluster:")), log);
    await until("its refusal is told of", () => log.text.includes("cluster support disabled"));
    expect(log.messages("warn")).toEqual(["Redis is not reachable"]);
    await client.close();
  });

  test("is asked when it is there, and waited for when it is not", async () => {
    await using redis = await startRedis();
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redis.url), log);
    await verifyServer(client);
    await client.connection.config("SET", "maxmemory-policy", "allkeys-lru");
    await expect(verifyServer(client)).rejects.toMatchObject({
      code: "redis.unsuitable",
      class: "misconfigured",
    });
    await redis.kill();
    await until("its absence is told of", () => log.messages("warn").length > 0);
    const verified = verifyServer(client);
    await redis.restart();
    await verified;
    expect(log.messages("warn")).toEqual(["Redis is not reachable"]);
    expect(log.messages("info")).toEqual(["Redis is reachable again"]);
    expect(client.connections).toBe(2);
    await client.close();
  });
});

describe("a failover that closes no connection", () => {
  test("is found by the first write, which is made on the new master", async () => {
    await using demoted = await startRedis();
    await using master = await startRedis();
    await using service = await startMasterService(demoted.port);
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(service.url), log);
    const copy = client.duplicate();
    const admin = new RedisClient(redisAddress(demoted.url), new CollectedLog());
    await Promise.all([client.connection.ping(), copy.ping()]);
    await admin.connection.call("REPLICAOF", "127.0.0.1", String(master.port));
    const script = "return redis.call('SET', KEYS[1], ARGV[1])";
    const written = Promise.all([client.connection.eval(script, 1, "a", "1"), copy.set("b", "2")]);
    // The name may lead to the old server for a while.
    await until("it is asked again", () => client.connections > 2);
    service.leadTo(master.port);
    expect(await written).toEqual(["OK", "OK"]);
    await until("reads and writes are of one", async () => (await client.connection.get("b")) === "2");
    expect(log.messages("warn")).toEqual(["Redis takes no writes; connecting anew until it does"]);
    copy.disconnect();
    await Promise.all([client.close(), admin.close()]);
  });
});

describe("a connection that is silent", () => {
  const silent = { socketTimeout: 1000 };

  test("is given up where a command waits, which goes to whoever is there instead", async () => {
    // On a slow machine the replacement connection may be silent too.
    await whileInTime(2 * silent.socketTimeout, async (inTime) => {
      await using lost = await startRedis();
      await using master = await startRedis();
      await using service = await startMasterService(lost.port);
      const log = new CollectedLog();
      const client = new RedisClient(redisAddress(service.url), log, silent);
      const copy = client.duplicate();
      await Promise.all([client.connection.ping(), copy.ping()]);
      service.cutOff();
      service.leadTo(master.port);
      inTime();
      const set = [client.connection.set("a", "1"), copy.set("b", "2")];
      expect(await Promise.all(set)).toEqual(["OK", "OK"]);
      await until("it is told of", () => log.messages("info").includes("Redis is reachable again"));
      inTime();
      const admin = new RedisClient(redisAddress(master.url), new CollectedLog());
      expect(await admin.connection.mget("a", "b")).toEqual(["1", "2"]);
      expect(log.messages("warn")).toEqual(["Redis is not reachable"]);
      copy.disconnect();
      await Promise.all([client.close(), admin.close()]);
    });
  });

  test("is kept where nothing waits", async () => {
    await using redis = await startRedis();
    const client = new RedisClient(redisAddress(redis.url), new CollectedLog(), silent);
    await client.connection.ping();
    await passed(3 * silent.socketTimeout);
    await client.connection.ping();
    expect(client.connections).toBe(1);
    await client.close();
  });

  test("is given up for one node of a Redis Cluster, told of once, and made anew", async () => {
    await using redis = await startRedisCluster();
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redis.url), log, silent);
    await client.connection.set("a", "1");
    const { connections } = client;
    // The last node has the key.
    const node = redis.nodes.at(-1);
    node?.signal("SIGSTOP");
    const asked = client.connection.get("a");
    // On a busy machine other nodes may be silent that long too.
    const of = `127.0.0.1:${node?.port}`;
    const told = () =>
      log.lines.flatMap(({ fields, level, message }) =>
        "node" in fields && fields.node === of ? `${level} ${message}` : [],
      );
    const lost = "warn a node of the Redis Cluster is not reachable";
    await until("it is given up", () => told().length > 0);
    await until("it is given up again", () => client.connections > connections + 2);
    expect(told()).toEqual([lost]);
    node?.signal("SIGCONT");
    expect(await asked).toBe("1");
    expect(told()).toEqual([lost, "info a node of the Redis Cluster is reachable again"]);
    await client.close();
  });
});
