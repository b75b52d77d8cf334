import { spawnSync } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { givenValues } from "@fleet-reloader/runtime/config/load";
import { expect, test, vi } from "vitest";
import { commands } from "../src/commands.ts";
import { namespaceFlag } from "../src/frame/cli-fields.ts";
import { defineCommand } from "../src/frame/command.ts";
import { splitWords } from "../src/frame/split-words.ts";
import { commandRun } from "./fixture/command-run.ts";

const names = commands.map(({ name }) => name);

test.each([[], ["--help"], ["-h"], ["help"]])("%j lists every command with its purpose", async (...words) => {
  const { code, errors, output } = await commandRun(words);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  for (const { name, purpose } of commands)
    expect(
      output.split("\n").some((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${purpose}`)),
    ).toBe(true);
});

test.each(names)("%s --help has purpose, examples, flags and exit codes", async (name) => {
  const { code, errors, output } = await commandRun([name, "--help"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  const command = commands.find((one) => one.name === name);
  expect(output.startsWith(`Usage: fleet-reloader ${name}`)).toBe(true);
  for (const part of [`${command?.purpose}.`, ...(command?.examples ?? [])]) expect(output).toContain(part);
  for (const { meta } of Object.values(command?.flags ?? {})) expect(output).toContain(`  --${meta.flag}`);
  expect(output).toMatch(/\nExit codes:\n {2}0 +\S/);
  expect(await commandRun([name, "-h"])).toEqual({ code, errors, output });
  expect(await commandRun(["help", name])).toEqual({ code, errors, output });
});

/** Those that ask about a namespace. `--namespace` of audit-policy is a setting of a watcher, as it is written there. */
const namespaced = commands.filter(({ flags }) =>
  Object.values(flags).some(({ meta }) => meta.env === "FLEET_RELOADER_CLI_NAMESPACE"),
);

test.each(namespaced.map(({ name, flags }) => [name, flags] as const))(
  "%s takes a namespace as kubectl does, with -n",
  (_name, flags) => {
    const { problems, values } = givenValues(flags, { args: ["-n", "shop"], env: {} });
    expect(problems).toEqual([]);
    expect([...values.values()].map(({ value }) => value)).toEqual(["shop"]);
  },
);

test.each(["-n shop", "-nshop", "-n=shop", "--namespace=shop"])(
  "%s names a namespace as for kubectl, whether or not a command takes arguments",
  async (words) => {
    const page = { name: "asked", purpose: "Ask", examples: [], flags: { namespace: namespaceFlag("One.") } };
    const io = { env: {}, stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
    for (const taken of [{}, { arguments: { placeholder: "WORD", mend: "write one", min: 0, max: 1 } }]) {
      const run = vi.fn(() => Promise.resolve(0));
      await defineCommand({ ...page, ...taken, run }).invoke(words.split(" "), io);
      expect(run).toHaveBeenCalledWith({ config: { namespace: "shop" }, words: [] }, io);
    }
  },
);

test("every example of a command begins with its name and has known flags only", () => {
  for (const { name, examples, flags } of commands) {
    expect(examples.length, name).toBeGreaterThan(0);
    const known = new Set(Object.values(flags).map(({ meta }) => `--${meta.flag}`));
    for (const example of examples) {
      const [, words = ""] = /fleet-reloader (.*?)(?:[>|)]|$)/.exec(example) ?? [];
      expect(words.split(" ")[0], example).toBe(name);
      for (const [flag] of words.matchAll(/--[a-z-]+/g)) expect(known, example).toContain(flag);
    }
  }
});

/** Of the command line alone. Where an answer is looked for may be in an alias, and be given again. */
const single = commands.flatMap(({ name, flags }) =>
  Object.values(flags).flatMap(({ meta: { flag, env, isList, isSwitch } }) =>
    env.startsWith("FLEET_RELOADER_CLI_") && !(isList || isSwitch) && !["limit", "output"].includes(flag)
      ? [[name, flag] as const]
      : [],
  ),
);

test.each(single)("%s refuses a second --%s: only one of both would count", async (name, flag) => {
  const { code, errors, output } = await commandRun([name, `--${flag}`, "1", `--${flag}`, "2"]);
  expect({ code, output }).toEqual({ code: 78, output: "" });
  expect(errors).toContain(`--${flag} 2: it was given before, as --${flag} 1; give one`);
});

test.each([
  [["frezes"], "frezes: no such command; did you mean freezes?\n"],
  [["zzz"], "zzz: no such command; fleet-reloader --help lists them\n"],
  [["help", "lnt"], "lnt: no such command; did you mean lint?\n"],
  [["held", "shop"], "shop: not understood here; flags begin with --\n"],
  [["held", "--", "-n=shop"], "-n=shop: not understood here; flags begin with --\n"],
  [["freezes", "--kubeconfg", "x"], "--kubeconfg: no such flag; did you mean --kubeconfig?\n"],
  [["completion"], "SHELL: none is given; write bash, zsh, fish\n"],
  [["completion", "ksh"], "SHELL ksh: is not known; write bash, zsh, fish\n"],
  [["completion", "bash", "zsh"], "SHELL: 2 are given; write bash, zsh, fish\n"],
])("%j is refused with the nearest name or the mend", async (words, errors) => {
  expect(await commandRun(words)).toEqual({ code: 78, output: "", errors });
});

test("--version names the product, and the command that was asked", async () => {
  expect((await commandRun(["--version"])).output).toMatch(/^fleet-reloader \d/);
  expect((await commandRun(["history", "--version"])).output).toMatch(/^fleet-reloader history \d/);
});

test("the word after -- is no flag", async () => {
  const { code, errors } = await commandRun(["lint", "--", "--help"]);
  expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining("--help: ") });
});

test.each([
  ["--freeze-file -nope Deployment/api -n shop", "--freeze-file -nope -n shop"],
  ["Deployment/api --freeze-file -n -nshop -ojson", "--freeze-file -n --namespace=shop --output=json"],
  ["-n -o Deployment/api", "-n -o"],
  ["-n= Deployment/api -o=json", "--namespace= --output=json"],
])("only a word that stands where a flag may stand is one: %s", (words, flags) => {
  const shape = commands.find(({ name }) => name === "explain")?.flags ?? {};
  expect(splitWords(shape, words.split(" "))).toEqual({ free: ["Deployment/api"], flags: flags.split(" ") });
});

test("bash completes commands, the flags of one and the words it takes", async () => {
  const { output } = await commandRun(["completion", "bash"]);
  const asked = (...words: readonly string[]) =>
    `COMP_WORDS=(fleet-reloader ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _fleet_reloader; echo "\${COMPREPLY[*]}"`;
  const lines = [asked("fre"), asked("history", "--na"), asked("completion", "z"), asked("zzz", "")];
  const { stdout } = spawnSync("bash", ["-c", [output, ...lines].join("\n")], { encoding: "utf8" });
  expect(stdout).toBe("freeze freezes\n--namespace --name\nzsh\n\n");
});

test.each(["zsh", "fish"])("the completion of %s has every command and flag", async (shell) => {
  const { code, output } = await commandRun(["completion", shell]);
  expect(code).toBe(0);
  for (const { name, flags } of commands) {
    expect(output).toContain(name);
    for (const { meta } of Object.values(flags)) expect(output).toContain(meta.flag);
  }
});
