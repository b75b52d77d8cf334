import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, describe, expect, test } from "vitest";
import { canary, startAskedWorld } from "./fixture/asked-world.ts";
import { commandRun } from "./fixture/command-run.ts";

const page = readFileSync(fileURLToPath(new URL("../../../docs/ask.md", import.meta.url)), "utf8");
const world = await startAskedWorld();
afterAll(() => world[Symbol.asyncDispose]());

/** The answers to the questions of the page, by their command line. */
const answersOnPage = new Map(
  [...page.matchAll(/```console\n\$ fleet-reloader ([^\n]+)\n([\s\S]*?)```/g)].map(
    ([, line = "", answer = ""]) => [line, answer],
  ),
);

describe("explain", () => {
  test("answers as the page says, and writes nothing to the cluster", async () => {
    const before = world.cluster.resourceVersion;
    const { code, output, errors } = await world.ask("explain", "Deployment/api", "-n", "shop");
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toBe(answersOnPage.get("explain Deployment/api -n shop"));
    const written = world.cluster.writes.filter(
      ({ resourceVersion }) => Number(resourceVersion) > Number(before),
    );
    expect(written).toEqual([]);
  });

  test("answers as JSON what it answers as text", async () => {
    const { output } = await world.ask("explain", "deploy/api", "-n", "shop", "-ojson");
    const source = { kind: "Secret", namespace: "shop", name: "db" };
    expect(JSON.parse(output)).toMatchObject({
      cluster: "nova",
      workload: { kind: "Deployment", namespace: "shop", name: "api" },
      verdict: { type: "roll", causes: [{ source, reason: "SourceChanged" }] },
    });
  });

  test("says that a freeze holds a roll", async () => {
    const file = join(world.dataDir, "frozen.yaml");
    writeFileSync(file, "[{ namespace: shop, reason: release, by: ann }]");
    const { output } = await world.ask("explain", "deploy/api", "-n", "shop", "--freeze-file", file);
    expect(output).toContain("the roll is held: Frozen.");
    expect(output).toContain("release (by ann)");
  });

  test("names the likely name of a missing source", async () => {
    const { output } = await world.ask("explain", "deploy/web", "-n", "shop");
    expect(output).toContain("it does not exist; did you mean db?");
  });

  test("leaves open what only the keys of the workers tell", async () => {
    const { code, output } = await world.askWithoutKeys("explain", "deploy/api", "-n", "shop");
    expect(code).toBe(0);
    expect(output).toContain("It is not known here whether it would roll: KeyUnknown.");
  });

  test("asks a Redis in which it may write nothing", async () => {
    await using redis = await startRedis();
    const client = new RedisClient({ url: redis.url }, new CollectedLog());
    await guardShards({ client, keys: new Keys("fleet-reloader") });
    const rules = [
      "on",
      ">pass",
      "~*",
      "+@read",
      "+@connection",
      "+info",
      "+time",
      "+eval_ro",
      "+evalsha_ro",
    ];
    await client.connection.call("ACL", "SETUSER", "reader", ...rules);
    const reader = redis.url.replace("redis://", "redis://reader:pass@");
    const size = await client.connection.dbsize();
    const budgets = ["--budget-fleet", "unfinished=1"];
    const asked = await world.ask("explain", "deploy/api", "-n", "shop", "--redis-url", reader, ...budgets);
    expect(asked).toMatchObject({ code: 0, errors: "" });
    expect(asked.output).toContain("It would roll now:");
    expect(asked.output).toContain("No request for it waits in the queue.");
    expect(await client.connection.dbsize()).toBe(size);
    await client.close();
  });
});

test("plan answers as the page says", async () => {
  const { code, output, errors } = await world.ask("plan", "Secret/db", "-n", "shop");
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toBe(answersOnPage.get("plan Secret/db -n shop"));
});

test("plan leaves open what only the keys of the workers tell", async () => {
  const { code, output } = await world.askWithoutKeys("plan", "Secret/db", "-n", "shop");
  expect(code).toBe(0);
  expect(output).toMatch(
    /It is not known here whether these would roll \(2\):\n {2}Deployment\/api: KeyUnknown/,
  );
  expect(output).toContain("These do not roll for it, and Kubernetes updates the mounted files (1):");
});

test("plan answers as JSON, for the keys that are given", async () => {
  const { output } = await world.ask("plan", "secret/db", "-n", "shop", "--key", "other", "-o", "json");
  expect(JSON.parse(output)).toMatchObject({ keys: ["other"], state: "present" });
});

test.each(["explain", "plan"])(
  "%s --help names --served-namespace for --namespace of the services",
  async (verb) => {
    const { code, output } = await commandRun([verb, "--help"]);
    const text = output.replaceAll(/\s+/g, " ");
    expect(code).toBe(0);
    for (const said of ["Overrides", "together with"]) expect(text).toContain(`${said} --served-namespace`);
    expect(text).not.toMatch(/(Overrides|together with) --namespace\b/);
  },
);

test("no answer holds the content of a Secret", async () => {
  const questions = [
    ["explain", "deploy/api"],
    ["explain", "deploy/web"],
    ["plan", "secret/db"],
  ].flatMap((words) => [words, [...words, "-o", "json"]]);
  for (const words of questions) {
    const { output, errors } = await world.ask(...words, "-n", "shop");
    expect(output).not.toBe("");
    for (const text of [canary, Buffer.from(canary).toString("base64").slice(0, 12)])
      expect(output + errors, words.join(" ")).not.toContain(text);
  }
});

describe("a question that cannot be answered names field, value and mend:", () => {
  const none = "there is none in namespace shop";
  test.each([
    ["explain", "api", "is not understood; write kind and name, for example Deployment/api"],
    ["explain", "Deploymnt/api", "no kind of workload is called Deploymnt; did you mean Deployment?"],
    ["explain", "Secret/db", "is a source, not a workload; write fleet-reloader plan Secret/db"],
    ["explain", "Deployment/apis", `${none} of cluster nova; did you mean Deployment/api?`],
    ["explain", "StatefulSet/api", `${none} of cluster nova; there is Deployment/api`],
    ["plan", "Secrt/db", "no kind of source is called Secrt; did you mean Secret?"],
    ["plan", "deploy/api", "is a workload, not a source; write fleet-reloader explain deploy/api"],
    ["plan", "Secret/dbb", `${none}, and no workload uses it; did you mean Secret/db?`],
  ])("%s %s", async (verb, word, why) => {
    const errors = `KIND/NAME ${word}: ${why}\n`;
    expect(await world.ask(verb, word, "-n", "shop")).toEqual({ code: 78, output: "", errors });
  });

  test("a namespace that is not there, and one that is not given", async () => {
    const errors = "KIND/NAME Deployment/api: there is no namespace shp in cluster nova\n";
    expect(await world.ask("explain", "Deployment/api", "-n", "shp")).toEqual({
      code: 78,
      output: "",
      errors,
    });
    const missing = "--namespace: it is missing; write -n NAMESPACE\n";
    expect(await world.ask("plan", "Secret/db")).toEqual({ code: 78, output: "", errors: missing });
  });

  test("a cluster that does not answer, which is no mistake of the command line", async () => {
    const file = join(world.dataDir, "away");
    writeFileSync(file, world.cluster.kubeconfig().replaceAll(world.cluster.url, "http://127.0.0.1:1"));
    const words = ["explain", "deploy/api", "-n", "shop", "--kubeconfig", file, "--data-dir", world.dataDir];
    const errors = expect.stringMatching(/^cluster nova: cannot reach http:\/\/127.0.0.1:1: /);
    expect(await commandRun(words)).toEqual({ code: 1, output: "", errors });
  });

  test.each([
    ["explain", "deploy/api"],
    ["plan", "Secret/db"],
  ])("%s %s of a cluster that is away, beside the answer of the other", async (...question) => {
    const file = join(world.dataDir, "vega");
    const away = world.cluster.kubeconfig().replaceAll(world.cluster.url, "http://127.0.0.1:1");
    writeFileSync(file, away.replaceAll("nova", "vega"));
    const both = `${file}:${join(world.dataDir, "kubeconfig")}`;
    const words = ["-n", "shop", "--context", "vega", "--context", "nova", "-o", "json"];
    const places = ["--kubeconfig", both, "--data-dir", world.dataDir];
    const { code, errors, output } = await commandRun([...question, ...words, ...places]);
    expect(
      output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ cluster: "nova" }]);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: expect.stringMatching(/^cluster vega: cannot reach http:\/\/127.0.0.1:1: /),
    });
  });
});
