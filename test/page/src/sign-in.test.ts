import { terminalCheckOf } from "@fleet-reloader/contracts/api/terminal-sign-in";
import { createAccessWorld, subjectsOf, tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { fleetOf, overviewOf, startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
import { challengeOfVerifier, terminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, overflow } from "./barriers.ts";
import { looks, openWindow } from "./browser-window.ts";
import { startChromium } from "./chromium.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const overview = fleetOf([overviewOf("nova"), overviewOf("otech62")]);
const all = { role: "viewer", clusters: "*", namespaces: "*" } as const;
const nova = { role: "viewer", clusters: ["nova"], namespaces: ["shop"] } as const;

async function startGuarded() {
  const world = createAccessWorld(subjectsOf({ ann: [all], bob: [nova] }), overview);
  const loadPage = async () => readPageFiles();
  const served = await startServedFleet({ overview, access: world.access, loadPage });
  return {
    world,
    origin: `http://127.0.0.1:${served.port}`,
    ask: served.ask,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test.each(looks)("somebody signs in, sees, and signs out, $colorScheme and $width wide", async (look) => {
  await using guarded = await startGuarded();
  await using window = await openWindow(browser, guarded.origin, look);
  const { page } = window;
  await page.goto("/clusters");
  await signIn(page, "not a token");
  await page.getByRole("alert").filter({ hasText: "no person in the access file has this token" }).waitFor();
  expect(await page.getByLabel("Token").inputValue()).toBe("");
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await signIn(page, tokenOf("ann"));
  // Where they wanted to go.
  await page.getByRole("table", { name: "Clusters" }).getByText("otech62").waitFor();
  expect(new URL(page.url()).pathname).toBe("/clusters");
  await page.getByText("Signed in as ann").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.reload();
  await page.getByText("Signed in as ann").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto("/clusters");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText("otech62").count()).toBe(0);
  expect(await page.getByText("Signed in as").count()).toBe(0);
});

test("two people at once see what each of them may", async () => {
  await using guarded = await startGuarded();
  await using annsWindow = await openWindow(browser, guarded.origin);
  await using bobsWindow = await openWindow(browser, guarded.origin);
  for (const [name, { page }] of [
    ["ann", annsWindow],
    ["bob", bobsWindow],
  ] as const) {
    await page.goto("/");
    await signIn(page, tokenOf(name));
    await page.getByText(`Signed in as ${name}`).waitFor();
  }
  await annsWindow.page.getByText("All 2 clusters are well.").waitFor();
  await bobsWindow.page.getByText("1 cluster is well.").waitFor();
  await bobsWindow.page.goto("/queue");
  await bobsWindow.page.getByText("You see a part of the fleet").waitFor();
  await bobsWindow.page.goto("/audit");
  await bobsWindow.page.getByRole("heading", { name: "Not shown to you" }).waitFor();
  await bobsWindow.page.getByText("What to do:").waitFor();
  expect(await barriers(bobsWindow.page)).toEqual([]);
  await bobsWindow.page.goto("/workloads/otech62/Deployment/shop/api");
  await bobsWindow.page
    .getByRole("alert")
    .filter({ hasText: "bob has not the role viewer in namespace shop of cluster otech62" })
    .waitFor();
});

test("a page whose sign-in ends asks nothing until somebody signs in again", async () => {
  await using guarded = await startGuarded();
  await using window = await openWindow(browser, guarded.origin);
  const { page } = window;
  await page.clock.install();
  await page.goto("/held?reason=Frozen");
  await signIn(page, tokenOf("ann"));
  await page.getByText("Nothing is on hold.").waitFor();
  guarded.world.sessions.held.clear();
  await page.clock.fastForward(15_000);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.clock.fastForward(600_000);
  await page.getByLabel("Token").fill(tokenOf("ann"));
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Nothing is on hold.").waitFor();
  expect(new URL(page.url()).search).toBe("?reason=Frozen");
});

test.each(looks)("somebody lets a terminal sign in, $colorScheme and $width wide", async (look) => {
  await using guarded = await startGuarded();
  await using window = await openWindow(browser, guarded.origin, look);
  const { page } = window;
  const verifier = makeToken();
  const challenge = challengeOfVerifier(verifier);
  await page.goto(`/sign-in/terminal?challenge=${challenge}`);
  await signIn(page, tokenOf("bob"));
  await page.getByRole("heading", { name: "Sign in a terminal" }).waitFor();
  await page.getByText(`The terminal shows ${terminalCheckOf(challenge)}.`).waitFor();
  await page.getByText("It will ask and act as bob").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Allow" }).click();
  const told = page.getByRole("status").filter({ hasText: "Paste this code into the terminal" });
  const code = (await told.locator("code").textContent()) ?? "";
  expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  const headers = { authorization: `Bearer ${terminalToken(code, verifier)}` };
  const { body } = await guarded.ask("/api/v1/session", headers);
  expect(JSON.parse(body)).toEqual({ name: "bob" });
});

test("an address that no terminal has shown lets none sign in", async () => {
  await using guarded = await startGuarded();
  await using window = await openWindow(browser, guarded.origin);
  const { page } = window;
  await page.goto("/sign-in/terminal?challenge=cut");
  await signIn(page, tokenOf("bob"));
  await page.getByRole("alert").filter({ hasText: "none that a terminal has shown" }).waitFor();
  expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
});

test("where nobody signs in, the page says that a terminal need not", async () => {
  const loadPage = async () => readPageFiles();
  await using served = await startServedFleet({ overview, loadPage });
  await using window = await openWindow(browser, `http://127.0.0.1:${served.port}`);
  await window.page.goto(`/sign-in/terminal?challenge=${"a".repeat(43)}`);
  await window.page.getByText("Nobody signs in here.").waitFor();
});
