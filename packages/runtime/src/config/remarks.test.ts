import { describe, expect, test } from "vitest";
import { connectionFields } from "./fields.ts";
import { loadConfig } from "./load.ts";
import { remarkOn } from "./remarks.ts";

function remarks(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const warnings: string[] = [];
  remarkOn(
    connectionFields,
    { args, env },
    {
      warn: (_fields, message) => void warnings.push(message),
    },
  );
  return { warnings };
}

describe("a value that is accepted and does not do what it seems to is remarked on", () => {
  test("a log level and a format that do not exist, with what is used and what to write", () => {
    const args = ["--log-format", "logfmt"];
    const env = { FLEET_RELOADER_LOG_LEVEL: "loud" };
    expect(loadConfig(connectionFields, { args, env })).toMatchObject({
      logFormat: "text",
      logLevel: "info",
    });
    expect(remarks(args, env).warnings).toEqual([
      "FLEET_RELOADER_LOG_LEVEL=loud: is no log level; info is used. Write one of trace, debug, info, warn, error",
      "--log-format logfmt: is no log format; text is used. Write text or json",
    ]);
  });

  test("flags of the peer that change nothing, when they are on", () => {
    const on = ["--enable-ha=true", "--enable-pprof", "--sync-after-restart", "--pprof-addr=:7000"];
    const { warnings } = remarks(on);
    expect(warnings.map((line) => line.split(": ")[0])).toEqual([
      "--sync-after-restart true",
      "--enable-ha true",
      "--enable-pprof true",
      "--pprof-addr :7000",
    ]);
    expect(warnings[1]).toContain("--redis-url");
    expect(remarks(["--enable-ha=false", "--enable-pprof=0"]).warnings).toEqual([]);
  });

  test("a variable with a misspelt name, with the name that was probably meant", () => {
    expect(remarks([], { FLEET_RELOADER_LISTEN_ADDRES: ":8080" }).warnings).toEqual([
      "FLEET_RELOADER_LISTEN_ADDRES: no variable has this name, so it has no effect; did you mean FLEET_RELOADER_LISTEN_ADDRESS?",
    ]);
    // Variables of another service, and those that Kubernetes sets for a Service called fleet-reloader.
    const others = { FLEET_RELOADER_AUDIT_LISTEN_ADDRESS: ":1", FLEET_RELOADER_SERVICE_HOST: "10.0.0.1" };
    expect(remarks([], others).warnings).toEqual([]);
  });

  test("nothing else is", () => {
    const args = ["--log-format=", "--log-level=Warning"];
    expect(remarks(args)).toEqual({ warnings: [] });
    expect(remarks([])).toEqual({ warnings: [] });
  });
});

test.each([
  ["trace", "trace"],
  ["debug", "debug"],
  ["info", "info"],
  ["warning", "warn"],
  ["warn", "warn"],
  ["error", "error"],
  ["fatal", "error"],
  ["panic", "error"],
  ["ERROR", "error"],
])("log level %s of the peer is ours %s", (given, ours) => {
  expect(loadConfig(connectionFields, { args: ["--log-level", given], env: {} }).logLevel).toBe(ours);
});
