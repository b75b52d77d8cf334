import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import {
  createAccessWorld,
  fromOurPage,
  subjectsOf,
  tokenOf,
} from "@fleet-reloader/dashboard/fixture/access-world";
import { fleetOf, overviewOf, startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { afterAll, expect, test } from "vitest";
import { commands } from "../src/commands.ts";
import { runCommandLine } from "../src/frame/command-line.ts";
import { commandRun } from "./fixture/command-run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-browser-login-"));
const overview = fleetOf([overviewOf("nova")]);
const all = { role: "admin", clusters: "*", namespaces: "*" } as const;
const { access, sessions } = createAccessWorld(subjectsOf({ ann: [all] }), overview);
const served = await startServedFleet({ overview, access });
const server = `http://127.0.0.1:${served.port}`;
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A user with a home of their own, who has signed in with a browser as ann. */
async function newUser() {
  const env = { HOME: mkdtempSync(join(folder, "home-")) };
  const ask = (path: string, method: string, body: object, cookie = "") =>
    served.ask(path, { ...fromOurPage, cookie }, method, JSON.stringify(body));
  const signed = await ask("/api/v1/session", "POST", { token: tokenOf("ann") });
  const [cookie = ""] = String(signed.headers["set-cookie"]).split(";");
  return {
    env,
    file: join(env.HOME, ".config/fleet-reloader/servers.json"),
    run: (words: readonly string[]) => commandRun([...words, "--server", server], { env }),
    /** What the page gives out for the address of a terminal. */
    async allow(address: string): Promise<string> {
      const challenge = new URL(address).searchParams.get("challenge");
      const { body } = await ask("/api/v1/session/terminal", "POST", { challenge }, cookie);
      return String(JSON.parse(body).code);
    },
  };
}

/** Signs in with a browser: what is pasted follows from the address that the terminal shows. */
async function login(env: Readonly<Record<string, string>>, paste: (address: string) => Promise<string>) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const output = text(stdout);
  const words = ["login", "--server", server, "--browser"];
  const ended = runCommandLine(commands, words, { env, stdin, stdout, stderr });
  let errors = "";
  for await (const chunk of stderr) {
    errors += String(chunk);
    const [, address] = /^ {2}(http\S+)$/m.exec(errors) ?? [];
    if (address === undefined) continue;
    stdin.end(`${await paste(address)}\n`);
    break;
  }
  const code = await ended;
  stdout.end();
  return { code, errors, output: await output };
}

test("a browser signs a terminal in, until it signs out", async () => {
  const user = await newUser();
  const run = await login(user.env, user.allow);
  expect(run).toMatchObject({
    code: 0,
    output: `signed in to ${server} as ann; the token is in ${user.file}\n`,
  });
  expect(run.errors).toMatch(/allow the terminal [0-9A-F]{4}-[0-9A-F]{4}:\n/);
  expect(run.errors).toContain(`${server}/sign-in/terminal?challenge=`);
  expect(await user.run(["status"])).toMatchObject({ code: 0, errors: "" });
  const kept = readFileSync(user.file, "utf8");
  expect(kept).not.toContain(tokenOf("ann"));
  const before = sessions.held.size;
  expect(await user.run(["logout"])).toEqual({
    code: 0,
    output: `the token for ${server} is forgotten\n`,
    errors: "",
  });
  expect(sessions.held.size).toBe(before - 1);
  expect((await user.run(["status"])).code).toBe(1);
});

test("a sign-in that has ended says so, and how to sign in again", async () => {
  const user = await newUser();
  await login(user.env, user.allow);
  sessions.held.clear();
  const run = await user.run(["status"]);
  expect(run).toMatchObject({ code: 1, output: "" });
  expect(run.errors).toMatch(/the sign-in of this terminal has ended; .*login --server \S+ --browser, or/);
});

test.each([
  ["nothing", async () => ""],
  ["half of a code", async () => "abc"],
])("%s is no code, and nothing is kept", async (_, paste) => {
  const user = await newUser();
  const run = await login(user.env, paste);
  expect(run).toMatchObject({ code: 78, output: "" });
  expect(() => statSync(user.file)).toThrow("ENOENT");
});

test("the code of another terminal signs nobody in", async () => {
  const user = await newUser();
  const other = "x".repeat(43);
  const run = await login(user.env, () => user.allow(`${server}/sign-in/terminal?challenge=${other}`));
  expect(run).toMatchObject({ code: 1, output: "" });
  expect(() => statSync(user.file)).toThrow("ENOENT");
});

test("signing out at a server that is away forgets the token, and says what stays", async () => {
  const user = await newUser();
  await using another = await startServedFleet({ overview, access });
  await login(user.env, user.allow);
  const address = `http://127.0.0.1:${another.port}`;
  const kept = readFileSync(user.file, "utf8").replaceAll(server, address);
  writeFileSync(user.file, kept);
  await another[Symbol.asyncDispose]();
  const run = await commandRun(["logout", "--server", address], { env: user.env });
  expect(run).toMatchObject({ code: 0, output: `the token for ${address} is forgotten\n` });
  expect(run.errors).toMatch(/^warning: the sign-in ends at the server by itself, within 8 hours \(/);
});

test("where nobody signs in, no browser is needed", async () => {
  await using open = await startServedFleet({ overview });
  const user = await newUser();
  const words = ["login", "--browser", "--server", `http://127.0.0.1:${open.port}`];
  const run = await commandRun(words, { env: user.env });
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining("asks nobody to sign in") });
});
