import { claimsOf, startIssuedWorld } from "@fleet-reloader/dashboard/fixture/issued-world";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, overflow } from "./barriers.ts";
import { looks, openWindow } from "./browser-window.ts";
import { startChromium } from "./chromium.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

/** The issuer is at another site: it is asked by an address, and we by a name. */
async function startAtSite() {
  const world = await startIssuedWorld({ loadPage: async () => readPageFiles() });
  return Object.assign(world, { origin: `http://localhost:${world.served.port}` });
}

test.each(looks)("somebody signs in with the issuer, $colorScheme and $width wide", async (look) => {
  await using world = await startAtSite();
  await using window = await openWindow(browser, world.origin, look);
  const { page } = window;
  world.issuer.next = claimsOf("ann@example.org");
  await page.goto("/clusters");
  const offer = page.getByRole("link", { name: `Sign in with ${new URL(world.issuer.url).host}` });
  await offer.waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await offer.click();
  // Where they wanted to go, with a cookie that other sites do not send.
  await page.getByRole("table", { name: "Clusters" }).getByText("nova").waitFor();
  await page.getByText("Signed in as ann@example.org").waitFor();
  expect(new URL(page.url()).pathname).toBe("/clusters");
  await page.getByRole("button", { name: "Sign out" }).click();
  await offer.waitFor();
  expect(await page.getByText("Signed in as").count()).toBe(0);
});

test("somebody who goes to a guarded page of the server comes back to it", async () => {
  await using world = await startAtSite();
  await using window = await openWindow(browser, world.origin);
  const { page } = window;
  world.issuer.next = claimsOf("ann@example.org");
  await page.goto("/history?since=1h");
  await page.getByRole("link", { name: /^Sign in with/ }).click();
  await page.waitForURL(`${world.origin}/history?since=1h`);
});

test("somebody without a grant reads why, and what to do", async () => {
  await using world = await startAtSite();
  await using window = await openWindow(browser, world.origin);
  const { page } = window;
  world.issuer.next = claimsOf("eve@example.org", "dev");
  await page.goto("/");
  await page.getByRole("link", { name: /^Sign in with/ }).click();
  await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  await page
    .getByRole("alert")
    .filter({ hasText: "you are known as eve@example.org, with the groups dev" })
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
});
