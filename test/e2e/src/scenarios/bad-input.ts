import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import type { World } from "../world.ts";

/** Bad input gets a message that names the field, the value and the mend; exit code 78 says that our configuration is wrong. */
export function badInputTests(world: () => World): void {
  const cases: readonly {
    readonly what: string;
    readonly args: readonly string[];
    readonly says: readonly string[];
  }[] = [
    {
      what: "an unreadable kubeconfig",
      args: ["--kubeconfig", "/nowhere/config"],
      says: ["--kubeconfig /nowhere/config", "ENOENT"],
    },
    {
      what: "a missing context",
      args: ["--context", "nova"],
      says: ["--context nova", "no such context", "it has:"],
    },
    { what: "an unknown flag", args: ["--debounse", "2s"], says: ["--debounse", "did you mean --debounce"] },
    {
      what: "several bad flags at once",
      args: ["--debounce", "soon", "--reload-strategy", "magic"],
      says: ["--debounce soon", "2s, 1m30s", "--reload-strategy magic", "annotations, env-vars"],
    },
    {
      what: "bad annotation names, a list with a stray quote and a switch with a separate value, at once",
      args: [
        ...["--auto-annotation", "acme io/auto", "--ignore-annotation="],
        ...["--context", 'a,"b', "--enable-ha", "false"],
      ],
      says: [
        "--auto-annotation acme io/auto: is no key of an annotation; write [prefix/]name",
        "--ignore-annotation : is no key of an annotation",
        '--context a,"b: has a double quote out of place',
        "false: not understood here; write --enable-ha=false",
      ],
    },
    {
      what: "a spelling the peer does not know either",
      args: ["--configmap-anotation", "acme.io/reload"],
      says: ["--configmap-anotation: no such flag; did you mean --configmap-annotation?"],
    },
    {
      what: "several kubeconfig files that are all missing",
      args: ["--kubeconfig", "/nowhere/a:/nowhere/b"],
      says: ["--kubeconfig /nowhere/a: the file cannot be read (ENOENT)"],
    },
    {
      what: "a bad address",
      args: ["--listen-address", "9090"],
      says: ["--listen-address 9090", "127.0.0.1:9090"],
    },
    { what: "a bad Redis URL", args: ["--redis-url", "localhost"], says: ["--redis-url", "redis://"] },
    {
      what: "a missing key file",
      args: ["--mark-key-file", "/nowhere/key"],
      says: ["--mark-key-file /nowhere/key", "ENOENT"],
    },
  ];

  // One that serves all namespaces would note what it sees on the workloads of the tests beside it.
  const nobodys = "default";

  describe("bad input", () => {
    for (const { what, args, says } of cases) {
      test.concurrent(what, async () => {
        await using product = startProduct({ kubeconfig: world().kubeconfigPath, args });
        expect(await product.ended).toBe(78);
        for (const text of says) expect(product.output()).toContain(text);
        expect(product.output()).not.toContain("    at ");
      });
    }

    test.concurrent("an unreachable server is named, ends no process, and leaves it alive", async () => {
      const directory = mkdtempSync(join(tmpdir(), "fr-bad-"));
      const kubeconfig = join(directory, "config");
      writeFileSync(kubeconfig, unreachable);
      try {
        await using product = startProduct({ kubeconfig });
        const line = await until("it is said", () =>
          product.log.find((each) => each.msg.includes("cannot reach https://127.0.0.1:9")),
        );
        expect(line.msg).toContain("trying again");
        const url = await product.healthUrl();
        expect((await fetch(`${url}/live`)).status).toBe(200);
        expect((await fetch(`${url}/ready`)).status).toBe(503);
        expect(await product.stop()).toBe(0);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });

    test.concurrent("an unknown log level is reported and prevents no start, as with the peer", async () => {
      await using product = startProduct({
        kubeconfig: world().kubeconfigPath,
        args: ["--log-level", "loud", "--namespace", nobodys],
      });
      await product.ready();
      const warned = product.log.filter((line) => line.level === "warn").map((line) => line.msg);
      expect(warned).toContain(
        "--log-level loud: is no log level; info is used. Write one of trace, debug, info, warn, error",
      );
    });

    test.concurrent("another key on the same Redis is refused, unless the old one is to be forgotten", async () => {
      await using redis = await startRedis();
      const options = {
        kubeconfig: world().kubeconfigPath,
        args: ["--namespace", nobodys, "--redis-url", redis.url],
      };
      await using one = startProduct(options);
      await one.ready();
      await one.stop();
      await using two = startProduct({ ...options, service: "worker" });
      expect(await two.ended).toBe(78);
      expect(two.output()).toMatch(/second line of the file.* --forget-old-keys/);
      const args = [...options.args, "--forget-old-keys"];
      await using three = startProduct({ ...options, service: "worker", args });
      await three.ready();
      const warned = () => three.log.filter((line) => line.level === "warn").map((line) => line.msg);
      await until("it is told", () => warned().some((msg) => msg.includes("are judged by times alone")));
    });

    test.concurrent("two instances on one data dir: the second says so", async () => {
      const options = { kubeconfig: world().kubeconfigPath, args: ["--namespace", nobodys] };
      await using one = startProduct(options);
      await one.ready();
      await using two = startProduct({ ...options, dataDir: one.dataDir });
      expect(await two.ended).toBe(78);
      expect(two.output()).toContain("another fleet-reloader is running on it");
    });
  });
}

const unreachable = `
apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: gone, context: {cluster: a, user: u}}]
current-context: gone
`;
