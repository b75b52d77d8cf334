import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, describe, expect, test } from "vitest";
import { readImageSettings } from "../../../infra/docker/image-settings.ts";
import { root as repository } from "./helm.ts";
import { type Container, isolationHere, startContainer } from "./image/container.ts";
import { tree } from "./image/tree.ts";
import { at, parseManifests, the } from "./manifest.ts";
import { run } from "./tools/run.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const dockerfile = read("infra/docker/Dockerfile");
const settings = readImageSettings(dockerfile);
const nodeArgs = read("infra/bundle/node-args").trim().split(" ");
const folder = mkdtempSync(join(tmpdir(), "fr-rootfs-"));
const root = join(folder, "root");
const built = await run(process.execPath, [join(repository, "infra/docker/build-rootfs.ts"), root]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = () =>
  tree(root)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("the Dockerfile", () => {
  test("takes the versions that ./dev takes", () => {
    const dev = read("dev");
    expect(dockerfile).toContain(`FROM node:${/^NODE_VERSION=(\S+)$/m.exec(dev)?.[1]}-`);
    expect(dockerfile).toContain(`pnpm@${/^PNPM_VERSION=(\S+)$/m.exec(dev)?.[1]}`);
  });

  test("starts Node as nobody, with the environment of ./dev run, and names no registry", () => {
    expect(settings.entrypoint).toEqual(["/usr/bin/node", "/app/main.mjs"]);
    const nodeEnv = read("infra/bundle/node-env").trim().split("\n");
    expect(nodeEnv).toContain("MALLOC_ARENA_MAX=1");
    expect(settings.env).toMatchObject(Object.fromEntries(nodeEnv.map((line) => line.split("="))));
    expect(settings.user).toBe("65534:65534");
    expect(dockerfile).not.toMatch(/^FROM \S*[./]\S*\//m);
  });

  test("another heap limit runs that entrypoint with the flags of ./dev run", () => {
    const command =
      /command: (\[.*\])/.exec(read("infra/helm/fleet-reloader/templates/_deployment.tpl"))?.[1] ?? "";
    const words = command
      .replaceAll(/[[\]"]/g, "")
      .replaceAll("{{ . }}", "512")
      .split(", ");
    const [node, main] = settings.entrypoint;
    expect(words).toEqual([node, ...nodeArgs, main]);
  });
});

test.each(["standalone", "watcher", "worker", "dashboard", "cli"])(
  "the bundle of %s loads no second undici",
  (service) => {
    expect(read(`services/${service}/dist/bundle.mjs`)).not.toMatch(/(from|import)"(node:)?http"/);
  },
);

describe("the root file system", () => {
  test("is put together from what is installed", () => {
    expect(built.code, built.errors).toBe(0);
  });

  test("has two programs, their libraries, the command line, and no shell", () => {
    const programs = files().filter((path) => (statSync(path).mode & 0o111) !== 0 && !path.includes("/app/"));
    const others = programs
      .filter((path) => !/\/lib(64)?\/|\.so(\.|$)/.test(path))
      .map((path) => path.slice(root.length));
    expect(others.sort()).toEqual(["/usr/bin/fleet-reloader", "/usr/bin/node", "/usr/bin/redis-server"]);
    const shells = files().filter((path) =>
      /^(sh|bash|dash|ash|busybox|npm|pnpm|apt.*|perl.*)$/.test(basename(path)),
    );
    expect(shells).toEqual([]);
  });

  test("has nothing of the workplace: no sources, no tests, no credentials", () => {
    const own = files().filter((path) => !path.includes("/node_modules/"));
    expect(own.filter((path) => /\.ts$|\.test\.|kubeconfig|\.key$|\.env$/.test(path))).toEqual([]);
    // What is compiled holds the path of its bundle. Another path would be other bytes for equal sources.
    const compiled = own.filter((path) => path.includes("/dist/compiled/"));
    expect(compiled).toHaveLength(5);
    for (const path of compiled) {
      const bytes = readFileSync(path);
      expect([bytes.includes("file:///app/services/"), bytes.includes(folder)]).toEqual([true, false]);
    }
  });

  test("has no link that leads nowhere", () => {
    const links = tree(root).filter((entry) => entry.isSymbolicLink());
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(() => statSync(join(link.parentPath, link.name))).not.toThrow();
  });

  test.each(["standalone", "watcher", "worker", "dashboard", "cli"])(
    "has the compiled functions of %s, and Node takes them",
    async (service) => {
      const main = join(root, "app/services", service, "dist/main.mjs");
      const env = { NODE_DEBUG_NATIVE: "COMPILE_CACHE", NODE_COMPILE_CACHE: "" };
      const { output, errors } = await run(process.execPath, [...nodeArgs, main, "--version"], { env });
      expect(output + errors).toMatch(/bundle\.mjs was accepted/);
    },
  );

  test("takes at most 200 MB, most of it Node", () => {
    const bytes = files().reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThan(200e6);
  });
});

/** As the chart starts it, from what it rendered last; of a flag given twice the last counts. */
const deployed = at(
  the(parseManifests(read("infra/manifests/fleet-reloader.yaml")), "Deployment"),
  ...["spec", "template", "spec", "containers", 0, "args"],
);
const chartArgs = Array.isArray(deployed) ? deployed.map(String) : [];
const ownAddresses = ["--listen-address=127.0.0.1:0", "--dashboard-address=127.0.0.1:0", "--log-format=json"];

/** Where it listens, from the line it logs when it has started. */
async function addressesOf(
  container: Container,
): Promise<{ readonly health: string; readonly queues: string }> {
  const line = await until("it has started", () =>
    container
      .output()
      .split("\n")
      .find((each) => each.includes('"health"')),
  ).catch((error: unknown) => {
    throw new Error(`it did not start:\n${container.output()}`, { cause: error });
  });
  return JSON.parse(line);
}

describe("the product in it", () => {
  test("as nobody on a read-only root becomes ready, shows the queue, ends on SIGTERM", async () => {
    await using cluster = await startSimCluster({ name: "image" });
    await using container = startContainer({
      root,
      settings,
      args: [
        ...chartArgs,
        ...ownAddresses,
        "--kubeconfig=/var/lib/fleet-reloader/kubeconfig",
        "--mark-key-file=/var/lib/fleet-reloader/key",
      ],
      files: { kubeconfig: cluster.kubeconfig(), key: `${"0f".repeat(32)}\n` },
    });
    const { health, queues } = await addressesOf(container);
    await until("/ready answers 200", async () => (await fetch(health)).status === 200);
    const page = await fetch(queues);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("fleet-reloader");

    // The process of the container is Node with the flags of ./dev run.
    const command = readFileSync(`/proc/${container.pid}/cmdline`, "utf8").split("\0");
    expect(command.slice(1, nodeArgs.length + 2)).toEqual([...nodeArgs, "/app/main.mjs"]);
    const status = readFileSync(`/proc/${container.pid}/status`, "utf8");
    expect(status).toMatch(/^NoNewPrivs:\s*1$/m);
    const { isolation, isRoot } = isolationHere();
    if (isRoot) {
      expect(status).toMatch(/^Uid:\s*65534\s+65534/m);
      expect(status).toMatch(/^CapEff:\s*0+$/m);
    }
    if (isolation === "read-only")
      expect(readFileSync(`/proc/${container.pid}/mountinfo`, "utf8")).toMatch(/ \/ ro[, ]/);

    container.signal("SIGTERM");
    expect(await container.ended, container.output()).toBe(0);
  });

  test.each([
    [["watcher", "--version"], 0, "fleet-reloader watcher "],
    [["worker", "--version"], 0, "fleet-reloader worker "],
    [["dashboard", "--version"], 0, "fleet-reloader dashboard "],
    [["history", "--version"], 0, "fleet-reloader history "],
    [["standalone", "--version"], 0, "fleet-reloader "],
    [["dashbord"], 78, "dashbord: no such command; fleet-reloader --help lists them"],
  ] as const)("the first argument names the service: %s", async (args, code, says) => {
    await using container = startContainer({ root, settings, args });
    expect(await container.ended).toBe(code);
    await until("it says so", () => container.output().includes(says));
  });

  test("kubectl exec finds the command line on PATH", async () => {
    const entrypoint: [string, string] = ["/usr/bin/fleet-reloader", "frezze"];
    await using container = startContainer({ root, settings: { ...settings, entrypoint }, args: [] });
    expect(await container.ended).toBe(78);
    await until("it says so", () => container.output().includes("did you mean freeze?"));
  });

  test("nobody gets a shell in it", async () => {
    const shell = { ...settings, entrypoint: ["/bin/sh", "-c", "true"] as const };
    await using container = startContainer({
      root,
      settings: { ...shell, entrypoint: [...shell.entrypoint] },
      args: [],
    });
    expect(await container.ended).toBe(127);
    await until("it says so", () => /\/bin\/sh.*No such file/.test(container.output()));
  });
});
