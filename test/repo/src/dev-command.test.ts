import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { filesBelow } from "./files-below.ts";
import { root } from "./root.ts";

// To run all the same would let who mistypes believe that what was meant has been checked.
test.each([
  ["test", "--help"],
  ["test", "-h"],
  ["test", "--real", "--help"],
  ["check", "--help"],
  ["fix", "-h"],
  ["bundle", "--help"],
  ["generate", "--help"],
  ["help", "test"],
])("./dev %s %s says what it does, and does nothing", (...words) => {
  // Nothing is on PATH that could set anything up.
  const tools = { ...process.env, PATH: "/usr/bin:/bin" };
  const { status, stdout, stderr } = spawnSync(join(root, "dev"), words, { encoding: "utf8", env: tools });
  const command = words.find((word) => word !== "help");
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: expect.stringContaining(`usage: ./dev ${command}`),
    stderr: "",
  });
});

test.each(["check", "fix", "bundle", "generate"])(
  "./dev %s takes no further words, and says so",
  (command) => {
    const { status, stderr } = spawnSync(join(root, "dev"), [command, "nonsense"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      `dev: ${command}: nonsense: not understood; write ./dev ${command}\n`,
    ]);
  },
);

const machines: string[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) rmSync(machine, { recursive: true });
});

// A checkout on a machine that has what every Debian has, whose installers only say what they are asked for, and whose Node only bundles.
function bareMachine(aptGet: string): { dev: (...args: string[]) => ReturnType<typeof spawnSync> } {
  const machine = mkdtempSync(join(tmpdir(), "bare-machine-"));
  machines.push(machine);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(machine, path)), { recursive: true });
    writeFileSync(join(machine, path), text, { mode: 0o755 });
  };
  const kinds = ["services", "packages", "test"];
  const manifests = ["package.json", ...kinds.map((kind) => `${kind}/one/package.json`)];
  for (const path of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) write(path, "");
  copyFileSync(join(root, "dev"), join(machine, "dev"));
  for (const tool of ["npm", "pnpm", "sleep"]) write(`bin/${tool}`, "#!/usr/bin/env bash\n");
  write("bin/sudo", '#!/usr/bin/env bash\nexec "$@"\n');
  write("bin/biome", "#!/usr/bin/env bash\necho fixed\n");
  write("bin/node", `#!/usr/bin/env bash\n${bundles}`);
  for (const path of ["services/one/src/main.ts", "packages/one/src/main.ts", "infra/docker/main.ts"])
    write(path, "");
  write("infra/bundle/node-args", "--a-small-heap");
  write("infra/bundle/node-env", "");
  write("bin/apt-get", `#!/usr/bin/env bash\n${aptGet}`);
  const tools = [
    "bash",
    "cat",
    "chmod",
    "dirname",
    "env",
    "find",
    "id",
    "mkdir",
    "sha256sum",
    "touch",
    "uname",
  ];
  for (const tool of tools) symlinkSync(`/usr/bin/${tool}`, join(machine, "bin", tool));
  const env = { PATH: join(machine, "bin"), BIN: join(machine, "bin") };
  return { dev: (...args) => spawnSync(join(machine, "dev"), args, { encoding: "utf8", env, cwd: machine }) };
}

// As the bundler does: the services first, and the list of what is in them last.
const bundles = `case "$1" in
  infra/bundle/bundle.ts)
    mkdir -p services/standalone/dist infra/bundle/dist
    touch services/standalone/dist/main.mjs
    touch infra/bundle/dist/packages.json ;;
  *) echo "ran $1" ;;
esac
`;

const installs =
  'if [ "$1" = install ]; then touch "$BIN/redis-server" && chmod +x "$BIN/redis-server"; fi\n';
const locked =
  'echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)" >&2; exit 100';

test.each(["update", "install"])("./dev waits while another package manager holds up apt-get %s", (word) => {
  const { dev } = bareMachine(
    `if [ "$1" = ${word} ] && [ ! -e "$BIN/third" ]; then
       if [ -e "$BIN/second" ]; then touch "$BIN/third"; else touch "$BIN/second"; fi
       ${locked}
     fi\n${installs}`,
  );
  const { status, stdout, stderr } = dev("fix");
  expect([status, stdout]).toEqual([0, "fixed\n"]);
  expect(String(stderr).match(/waiting for another package manager to end/g)).toHaveLength(1);
});

test("./dev ends when another package manager does not, and says what to do", () => {
  const { status, stdout, stderr } = bareMachine(locked).dev("fix");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    "dev: another package manager has worked for 10 minutes: let it end, then run this again: E: Could not get lock",
  );
});

test("./dev does not wait for a package that Debian does not have", () => {
  const lacks = 'if [ "$1" = install ]; then echo "E: Unable to locate package $7" >&2; exit 100; fi\n';
  const { status, stderr } = bareMachine(lacks).dev("fix");
  expect(status).toBe(1);
  expect(stderr).toContain("dev: apt-get install failed: E: Unable to locate package");
  expect(stderr).not.toContain("waiting");
});

test("./dev run bundles when a source is new, and not again", () => {
  const { dev } = bareMachine(installs);
  const runs = ["first", "second"].map(() => dev("run", "--version"));
  expect(runs.map(({ stdout }) => stdout)).toEqual(Array(2).fill("ran services/standalone/dist/main.mjs\n"));
  expect(runs.map(({ stderr }) => String(stderr).includes("bundling the services"))).toEqual([true, false]);
});

test("./dev generate runs every generator there is, and renders the chart last", () => {
  const generators = ["infra", "test"]
    .flatMap((folder) => filesBelow(join(root, folder)))
    .map((path) => path.slice(root.length + 1))
    .filter((path) => /\/(generate|render)-[a-z]+\.ts$/.test(path));
  const { status, stdout } = bareMachine(installs).dev("generate");
  const ran = String(stdout).trimEnd().split("\n");
  expect([status, ran.toSorted()]).toEqual([0, generators.map((path) => `ran ${path}`).toSorted()]);
  expect(ran.at(-1)).toBe("ran test/chart/src/render-manifests.ts");
});

// What is over soon needs no small heap, with which Node can hang at its end.
test.each([
  ["-h", "services/standalone/dist/main.mjs"],
  ["--help", "services/standalone/dist/main.mjs"],
  ["--version", "services/standalone/dist/main.mjs"],
  ["help", "services/standalone/dist/main.mjs"],
  ["freezes", "services/cli/dist/main.mjs"],
  ["--kubeconfig", "--a-small-heap"],
])("./dev run %s gives Node the right heap", (word, first) => {
  expect(bareMachine(installs).dev("run", word).stdout).toBe(`ran ${first}\n`);
});
