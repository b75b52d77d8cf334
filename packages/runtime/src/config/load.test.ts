import { describe, expect, test } from "vitest";
import { refusal } from "../fixture/refusal.ts";
import { connectionFields, ruleFields, workerFields } from "./fields.ts";
import { loadConfig } from "./load.ts";
import { csvList, textValue } from "./types.ts";

const field = { env: "FLEET_RELOADER_TEST", placeholder: "TEXT", description: "" };
const shape = {
  ...connectionFields,
  ...ruleFields,
  ...workerFields,
  twoNames: { schema: textValue(""), meta: { ...field, flag: "two-names", aliases: ["Two-Names"] } },
  selector: { schema: csvList(), meta: { ...field, flag: "selector", isList: true } },
};

const load = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  loadConfig(shape, { args, env });

function problems(args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  return refusal(() => load(args, env)).split("\n");
}

describe("where a value comes from", () => {
  test("nothing given: the defaults", () => {
    expect(load([])).toMatchObject({
      contexts: [],
      debounce: 2000,
      maxWait: 30_000,
      concurrency: 32,
      listenAddress: { host: "127.0.0.1", port: 9090 },
      autoReloadAll: false,
      reloadStrategy: "annotations",
      logLevel: "info",
    });
  });

  test("the environment beats the default, a flag beats both", () => {
    const env = { FLEET_RELOADER_DEBOUNCE: "5s" };
    expect(load([], env).debounce).toBe(5000);
    expect(load(["--debounce", "7s"], env).debounce).toBe(7000);
  });

  test("an empty variable is as good as none", () => {
    expect(load([], { FLEET_RELOADER_DEBOUNCE: "" }).debounce).toBe(2000);
  });

  test("the strategy `default` is ours", () => {
    expect(load(["--reload-strategy=default"]).reloadStrategy).toBe("annotations");
    expect(load(["--reload-strategy", "env-vars"]).reloadStrategy).toBe("env-vars");
    expect(problems(["--reload-strategy=restart"])).toEqual([
      "--reload-strategy restart: must be one of annotations, env-vars, default",
    ]);
  });

  test("of a flag given twice the last counts", () => {
    expect(load(["--debounce=1s", "--debounce=3s"]).debounce).toBe(3000);
  });

  test("a list flag may be repeated and may hold commas", () => {
    expect(load(["--context", "a, b", "--context=c"]).contexts).toEqual(["a", "b", "c"]);
    expect(load([], { FLEET_RELOADER_CONTEXTS: "a,,b " }).contexts).toEqual(["a", "b"]);
  });

  test("an item of a list may hold commas when it is quoted, in a flag and in a variable", () => {
    const env = { FLEET_RELOADER_TEST: '"env in (a,b)",x' };
    expect(load([], env).selector).toEqual(["env in (a,b)", "x"]);
    expect(load(['--selector="env in (c,d)"', "--selector", "y"], env).selector).toEqual([
      "env in (c,d)",
      "y",
    ]);
  });

  test("a flag may have two spellings, which are one flag", () => {
    expect(load(["--Two-Names=a"]).twoNames).toBe("a");
    expect(load(["--Two-Names=a", "--two-names", "b"]).twoNames).toBe("b");
  });

  test("list flags replace the variable, they do not add to it", () => {
    expect(load(["--context", "a"], { FLEET_RELOADER_CONTEXTS: "b" }).contexts).toEqual(["a"]);
  });

  test("a switch needs no value and takes one after an equals sign", () => {
    expect(load(["--auto-reload-all"]).autoReloadAll).toBe(true);
    expect(load(["--auto-reload-all=false"], { FLEET_RELOADER_AUTO_RELOAD_ALL: "true" }).autoReloadAll).toBe(
      false,
    );
  });

  test("the result cannot be changed", () => {
    expect(Object.isFrozen(load([]))).toBe(true);
  });
});

describe("problems", () => {
  test("are told all at once, each with its field, its value and the mend", () => {
    const found = problems(["--debounce", "soon", "--listen-address", "nowhere", "--concurrency=0"], {
      FLEET_RELOADER_AUTO_RELOAD_ALL: "yes",
    });
    expect(found).toEqual([
      "--listen-address nowhere: is no address; write host:port, for example 127.0.0.1:9090",
      "--debounce soon: is no duration; write for example 2s, 1m30s, 500ms, 2d or 0",
      "FLEET_RELOADER_AUTO_RELOAD_ALL=yes: is neither true nor false; write true or false",
      "--concurrency 0: must be a whole number from 1 to 1000",
    ]);
  });

  test("an unknown flag leads to the one that was meant", () => {
    expect(problems(["--kubeconfg=x"])).toEqual(["--kubeconfg: no such flag; did you mean --kubeconfig?"]);
    expect(problems(["--autoReloadAll"])).toEqual([
      "--autoReloadAll: no such flag; did you mean --auto-reload-all?",
    ]);
    expect(problems(["--zzz"])).toEqual(["--zzz: no such flag; --help lists them"]);
  });

  test("the value of a mistyped flag is not quoted: it may be a password", () => {
    expect(problems(["--redis-ulr", "redis://:hunter2@redis"])).toEqual([
      "--redis-ulr: no such flag; did you mean --redis-url?",
    ]);
  });

  // An unquoted value with a space arrives as two words, and the second may be the password itself.
  test("words after a secret or a mistyped flag are not quoted", () => {
    const words = ["redis://:hunter2", "hunter3", "--debounce", "2s", "start"];
    expect(problems(["--redis-url", ...words])).toEqual([
      "--redis-url: a word after its value (not shown) is not understood; put a value with spaces in quotes",
      "start: not understood here; flags begin with --",
    ]);
    expect(problems(["--redis-ulr", ...words])).toEqual([
      "--redis-ulr: no such flag; did you mean --redis-url?",
      "start: not understood here; flags begin with --",
    ]);
  });

  test("a flag without its value says how to write it", () => {
    expect(problems(["--debounce"])).toEqual(["--debounce: a value is missing; write --debounce=DURATION"]);
  });

  test("a list whose quotes do not fit is told with all that was given", () => {
    expect(problems(["--selector", "a", '--selector="b'])).toEqual([
      '--selector a --selector "b: has a double quote out of place; write a,b or "x,y",z, and "" for a quote inside quotes',
    ]);
  });

  test("a switch does not take the next word for its value, and says how it is written", () => {
    expect(problems(["--auto-reload-all", "false"])).toEqual([
      "false: not understood here; write --auto-reload-all=false",
    ]);
  });

  test("a word that belongs to no flag is refused", () => {
    expect(problems(["start"])).toEqual(["start: not understood here; flags begin with --"]);
  });

  test("names every JavaScript object has are no flags", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      expect(problems([`--${name}`])).toEqual([`--${name}: no such flag; --help lists them`]);
  });
});
