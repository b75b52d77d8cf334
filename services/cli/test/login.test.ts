import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { createAccessWorld, subjectsOf, tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { fleetOf, overviewOf, startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { afterAll, expect, test, vi } from "vitest";
import { commands } from "../src/commands.ts";
import { runCommandLine } from "../src/frame/command-line.ts";
import { commandRun } from "./fixture/command-run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-login-"));
const overview = fleetOf([overviewOf("nova")]);
const all = { role: "admin", clusters: "*", namespaces: "*" } as const;
const { access } = createAccessWorld(subjectsOf({ ann: [all] }, { nightly: [all] }), overview);
const served = await startServedFleet({ overview, access });
const server = `http://127.0.0.1:${served.port}`;
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A user with a home of their own. */
function newUser() {
  const env = { HOME: mkdtempSync(join(folder, "home-")) };
  const file = join(env.HOME, ".config/fleet-reloader/servers.json");
  return {
    env,
    file,
    mode: (path = file) => (statSync(path).mode & 0o777).toString(8),
    run: (words: readonly string[], input = "") => commandRun([...words, "--server", server], { env, input }),
  };
}

test("a token that is kept signs commands in until it is forgotten", async () => {
  const user = newUser();
  const before = await user.run(["status"]);
  expect(before).toMatchObject({ code: 1, output: "" });
  expect(before.errors).toContain(`; write fleet-reloader login --server ${server}, or give --token-file\n`);
  const login = await user.run(["login"], `${tokenOf("ann")}\n`);
  const says = `signed in to ${server} as ann; the token is in ${user.file}\n`;
  expect(login).toEqual({ code: 0, output: says, errors: "" });
  expect([user.mode(), user.mode(join(user.file, ".."))]).toEqual(["600", "700"]);
  expect(await user.run(["status"])).toMatchObject({ code: 0, errors: "" });
  const elsewhere = await commandRun(["status", "--server", server.replace("127.0.0.1", "localhost")], user);
  expect(elsewhere).toMatchObject({ code: 1, errors: expect.stringContaining("nobody is signed in") });
  const logout = await user.run(["logout"]);
  expect(logout).toEqual({ code: 0, output: `the token for ${server} is forgotten\n`, errors: "" });
  expect(readFileSync(user.file, "utf8")).not.toContain(tokenOf("ann"));
  expect(await user.run(["status"])).toEqual(before);
  expect((await user.run(["logout"])).output).toBe(`no token for ${server} is kept\n`);
});

test("logins to other servers stay, and a machine signs in too", async () => {
  const user = newUser();
  await user.run(["login"], tokenOf("ann"));
  const kept = JSON.parse(readFileSync(user.file, "utf8")).servers[0];
  const other = { server: "https://other.example.org", name: "bob", token: "other" };
  writeFileSync(user.file, JSON.stringify({ servers: [other, kept] }));
  expect(await user.run(["login"], tokenOf("nightly"))).toMatchObject({ code: 0 });
  const { servers } = JSON.parse(readFileSync(user.file, "utf8"));
  expect(servers).toEqual([other, { server, name: "nightly", token: tokenOf("nightly") }]);
});

test("a token that the server does not know is refused, not kept and not shown", async () => {
  const user = newUser();
  const run = await user.run(["login"], "canary-of-nobody\n");
  expect(run).toMatchObject({ code: 1, output: "" });
  expect(run.errors).toMatch(
    /the token is not known; .*login --server .* with a token of its access file\n$/,
  );
  expect(run.errors).not.toContain("canary-of-nobody");
  expect(() => statSync(user.file)).toThrow("ENOENT");
  expect(await user.run(["login"], "")).toMatchObject({
    code: 78,
    errors: expect.stringContaining("no token"),
  });
});

test("where nobody signs in, nothing is kept", async () => {
  await using open = await startServedFleet({ overview });
  const user = newUser();
  const words = ["login", "--server", `http://127.0.0.1:${open.port}`];
  const run = await commandRun(words, { env: user.env, input: "some-token" });
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining("asks nobody to sign in") });
  expect(() => statSync(user.file)).toThrow("ENOENT");
});

test("XDG_CONFIG_HOME is respected unless it is relative; no home keeps no token", async () => {
  const user = newUser();
  const config = join(user.env.HOME, "elsewhere");
  const input = tokenOf("ann");
  const words = ["login", "--server", server];
  await commandRun(words, { env: { HOME: user.env.HOME, XDG_CONFIG_HOME: config }, input });
  expect(user.mode(join(config, "fleet-reloader/servers.json"))).toBe("600");
  await commandRun(words, { env: { HOME: user.env.HOME, XDG_CONFIG_HOME: "relative" }, input });
  expect(user.mode()).toBe("600");
  const homeless = await commandRun(words, { input });
  expect(homeless).toMatchObject({ code: 78, errors: expect.stringMatching(/^HOME: it is not set/) });
});

test.each([
  [0o644, '{"servers":[]}', "others on this machine can read it (mode 644)"],
  [0o660, '{"servers":[]}', "others on this machine can read it (mode 660)"],
  [0o600, "{", "it is damaged; remove it, and sign in again"],
  [0o600, '{"servers":[{"server":"x"}]}', "it is damaged; remove it, and sign in again"],
])("a file of tokens with mode %o and the text %s is refused with the mend", async (mode, written, says) => {
  const user = newUser();
  mkdirSync(join(user.file, ".."), { recursive: true });
  writeFileSync(user.file, written);
  chmodSync(user.file, mode);
  for (const words of [["status"], ["login"], ["logout"]]) {
    const run = await user.run(words, tokenOf("ann"));
    expect(run).toMatchObject({ code: 78, output: "" });
    expect(run.errors).toContain(`${user.file}: ${says}`);
  }
  expect(readFileSync(user.file, "utf8")).toBe(written);
});

test("a token file goes before the variable, and that before what is kept", async () => {
  const user = newUser();
  const file = join(user.env.HOME, "token");
  writeFileSync(file, `${tokenOf("ann")}\n`, { mode: 0o600 });
  const wrong = { ...user.env, FLEET_RELOADER_TOKEN: "canary-of-nobody" };
  const words = ["status", "--server", server];
  await user.run(["login"], tokenOf("ann"));
  expect(await commandRun(words, { env: wrong })).toMatchObject({ code: 1 });
  const byFile = await commandRun([...words, "--token-file", file], { env: wrong });
  expect(byFile).toMatchObject({ code: 0, errors: "" });
  chmodSync(file, 0o644);
  const warned = await commandRun([...words, "--token-file", file], { env: wrong });
  expect(warned).toMatchObject({ code: 0, output: byFile.output });
  expect(warned.errors).toBe(
    `warning: --token-file ${file}: others on this machine can read it; chmod 600 ${file}\n`,
  );
  const gone = await commandRun([...words, "--token-file", `${file}-2`], { env: wrong });
  expect(gone).toMatchObject({ code: 78, errors: expect.stringContaining("cannot be read (ENOENT)") });
});

/** Signs in at a terminal with these keys; what the terminal shows, and whether it echoed when a key came. */
async function typeKeys(keys: readonly string[], env: Readonly<Record<string, string>>) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn() });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shown = Promise.all([text(stdout), text(stderr)]);
  const ended = runCommandLine(commands, ["login", "--server", server], {
    env,
    stdin: terminal,
    stdout,
    stderr,
  });
  await vi.waitFor(() => expect(terminal.setRawMode).toHaveBeenCalledWith(true), { timeout: 60_000 });
  for (const key of keys) terminal.write(key);
  const code = await ended;
  stdout.end();
  stderr.end();
  const modes = terminal.setRawMode.mock.calls.map(([isRaw]): unknown => isRaw);
  return { code, modes, shown: (await shown).join("") };
}

test("at a terminal the token is typed or pasted without being shown", async () => {
  const token = tokenOf("ann");
  for (const keys of [[...`x\u007f${token}`, "\r"], [`${token}\n`], [token, "\u0004"]]) {
    const user = newUser();
    const typed = await typeKeys(keys, user.env);
    expect(typed).toMatchObject({ code: 0, modes: [true, false] });
    expect(typed.shown).toContain(`Token for ${server}: \n`);
    expect(typed.shown).not.toContain(token);
    expect(readFileSync(user.file, "utf8")).toContain(token);
  }
});

test("whoever interrupts a sign-in gets the terminal back, and nothing is kept", async () => {
  const user = newUser();
  const typed = await typeKeys(["canary", "\u0003"], user.env);
  expect(typed).toMatchObject({ code: 78, modes: [true, false] });
  expect(typed.shown).not.toContain("canary");
  expect(() => statSync(user.file)).toThrow("ENOENT");
});

test("a certificate of an unknown signer is refused before the token is sent", async () => {
  const { certificatePem, keyPem } = createLoopbackCertificate();
  const seen = vi.fn();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    seen(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" }).end('{"name":"ann"}');
  };
  const secure = createServer({ cert: certificatePem, key: keyPem }, answer);
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  try {
    const address = secure.address();
    const port = typeof address === "object" ? address?.port : 0;
    const user = newUser();
    const login = (...more: readonly string[]) =>
      commandRun(["login", "--server", `https://127.0.0.1:${port}`, ...more], {
        env: user.env,
        input: "t0ken",
      });
    const refused = await login();
    expect(refused).toMatchObject({ code: 1, output: "" });
    expect(refused.errors).toContain("give who signed its certificate by --server-ca-file");
    expect(seen).not.toHaveBeenCalled();
    const ca = join(user.env.HOME, "ca.pem");
    writeFileSync(ca, "no certificate");
    expect(await login("--server-ca-file", ca)).toMatchObject({
      code: 78,
      errors: `--server-ca-file ${ca}: it has no certificate; name a file with certificates as PEM\n`,
    });
    writeFileSync(ca, certificatePem);
    expect(await login("--server-ca-file", ca)).toMatchObject({ code: 0, errors: "" });
    expect(seen.mock.calls).toEqual([["Bearer t0ken"]]);
  } finally {
    secure.closeAllConnections();
    await new Promise((resolve) => secure.close(resolve));
  }
});
