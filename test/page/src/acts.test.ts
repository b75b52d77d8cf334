import {
  actingFleet,
  admin,
  callerWith,
  memoryFreezes,
} from "@fleet-reloader/dashboard/fixture/acting-fleet";
import { startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
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

const frozen = "- cluster: nova\n  namespace: shop\n  reason: CHG-12\n  by: bob\n";
const scope = { cluster: "nova", namespace: "shop" };

/** A page on which somebody acts: a freeze is in force, and a breaker holds a workload. */
async function servePage(caller = admin) {
  const freezes = memoryFreezes(frozen);
  const fleet = actingFleet(caller, freezes);
  const request = {
    cluster: "uid-nova",
    workload: { kind: "Deployment", namespace: "shop", name: "api" },
  };
  const overview = {
    ...fleet.overview,
    freezes: async () =>
      (await freezes.text())?.includes("CHG-12") ? [{ scope, reason: "CHG-12", by: "bob" }] : [],
    holds: async () => [{ id: "1", request, reason: "WorkloadLooping", againAtMs: 0 }],
  };
  const { acts } = fleet;
  const served = await startServedFleet({ acts, overview, loadPage: async () => readPageFiles() });
  return {
    fleet,
    freezes,
    origin: `http://127.0.0.1:${served.port}`,
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

/** Clusters answer what views of their objects show; acts are not answered by this. */
async function answerForClusters(page: Page): Promise<void> {
  const time = "2026-07-01T12:10:00.000Z";
  const nothing = { optIn: [], sources: [], problems: [], isPaused: false, count: 0 };
  const workload = { kind: "Deployment", namespace: "shop", name: "api" };
  const verdict = { type: "stays", reason: "NotOptedIn" };
  const source = { kind: "Secret", namespace: "shop", name: "db" };
  const shown = { cluster: "nova", time };
  await page.route("**/api/v1/workloads/**", (route) =>
    route.fulfill({ json: Object.assign({ workload, verdict }, shown, nothing) }),
  );
  await page.route("**/api/v1/sources/**", (route) =>
    route.fulfill({
      json: Object.assign({ source, keys: "all", state: "present", users: [], count: 0 }, shown),
    }),
  );
}

const dialogIn = (page: Page) => page.getByRole("dialog");

/** Gives the reason and confirms, by the keyboard. */
async function giveReason(page: Page, reason: string): Promise<void> {
  await dialogIn(page).locator("[name=reason]:focus").waitFor();
  await page.keyboard.type(reason);
  await page.keyboard.press("Enter");
}

test.each(looks)("a workload is checked with a reason, $colorScheme and $width wide", async (look) => {
  await using served = await servePage();
  await using window = await openWindow(browser, served.origin, look);
  const { page, troubles } = window;
  await answerForClusters(page);
  await page.goto("/workloads/nova/Deployment/shop/api");
  const button = page.getByRole("button", { name: "Check now: Deployment shop/api on nova" });
  await button.waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
  await button.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Check now: Deployment shop/api on nova" });
  await dialog.getByText("1 workload is meant:").waitFor();
  await dialog.getByText("Deployment/shop/api on nova", { exact: true }).waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
  await dialog.getByRole("button", { name: "Check 1 workload" }).click();
  expect(served.fleet.added).toEqual([]);
  await giveReason(page, "incident 4711");
  await dialog.getByRole("status").filter({ hasText: "1 workload will be checked now" }).waitFor();
  await dialog.getByRole("link", { name: "History" }).waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
  expect(served.fleet.records).toEqual([
    expect.objectContaining({ action: "retry", by: "ann", note: "incident 4711 (1)" }),
  ]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.locator("main button:focus", { hasText: "Check now" }).waitFor();
  expect(troubles).toEqual([]);
});

test("an act on another count than was shown is shown again, with what was written", async () => {
  await using served = await servePage();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await answerForClusters(page);
  await page.goto("/sources/nova/Secret/shop/db");
  await page.getByRole("button", { name: "Check all users of it: Secret shop/db on nova" }).click();
  const dialog = dialogIn(page);
  await dialog.getByText("1 workload is meant:").waitFor();
  const ref = { kind: "Deployment", namespace: "shop", name: "late" };
  served.fleet.workloads.get("uid-nova")?.push({ ref, sources: ["Secret/shop/db"], patterns: [] });
  await giveReason(page, "rotation 12");
  await dialog.getByRole("alert").filter({ hasText: "2 workloads are meant now" }).waitFor();
  await dialog.getByText("Deployment/shop/late on nova").waitFor();
  expect(await dialog.getByLabel("Reason").inputValue()).toBe("rotation 12");
  expect(served.fleet.added).toEqual([]);
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Check 2 workloads" }).click();
  await dialog.getByText("2 workloads will be checked now").waitFor();
  expect(served.fleet.added.length).toBe(2);
});

test("what holds is lifted and released where it is shown", async () => {
  await using served = await servePage();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.goto("/held");
  await page.getByRole("button", { name: "Lift: cluster nova, namespace shop" }).click();
  await giveReason(page, "CHG-12 is done");
  await dialogIn(page).getByText("no longer frozen in ConfigMap reloader/freezes").waitFor();
  expect(await served.freezes.text()).toBe("[]\n");
  await dialogIn(page).getByRole("button", { name: "Close" }).click();
  await page.getByText("Nothing is frozen.").waitFor();
  await page.getByRole("button", { name: "Release: Deployment shop/api on nova" }).click();
  await giveReason(page, "the loop is stopped");
  await dialogIn(page).getByText("1 workload will be checked now").waitFor();
  expect(served.fleet.closed).toEqual(["uid-nova/api"]);
  await dialogIn(page).getByRole("link", { name: "See what comes of it" }).click();
  await page.waitForURL("**/workloads/nova/Deployment/shop/api");
  await dialogIn(page).waitFor({ state: "hidden" });
});

test("the fleet and a cluster are frozen with a reason and an end", async () => {
  await using served = await servePage();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.goto("/");
  await page.getByRole("button", { name: "Freeze … the fleet" }).click();
  const dialog = dialogIn(page);
  await dialog.getByLabel("Until").fill("soon");
  await dialog.getByLabel("Reason").fill("incident 4711");
  await dialog.getByRole("button", { name: "Freeze 4 workloads" }).click();
  await dialog.getByRole("alert").filter({ hasText: "is no time" }).waitFor();
  await dialog.getByLabel("Until").fill("2099-01-01T00:00:00Z");
  await dialog.getByRole("button", { name: "Freeze 4 workloads" }).click();
  await dialog.getByText("the fleet: incident 4711 (by ann, until 2099-01-01T00:00:00Z)").waitFor();
  expect(await served.freezes.text()).toContain("fleet: true");
  await page.goto("/clusters");
  await page.getByRole("button", { name: "Freeze … cluster otech62" }).click();
  await giveReason(page, "disk full");
  await dialogIn(page).getByText("cluster otech62: disk full (by ann)").waitFor();
  expect(await served.freezes.text()).toContain("cluster: otech62");
});

test("acts are offered where they are permitted, and nowhere else", async () => {
  const operator = callerWith("bob", [{ role: "operator", ...scope }]);
  await using served = await servePage(operator);
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.goto("/held");
  await page.getByRole("button", { name: "Lift: cluster nova, namespace shop" }).waitFor();
  expect(await page.getByRole("button", { name: /^Freeze/ }).count()).toBe(0);
  const viewer = callerWith("eve", [{ role: "viewer", cluster: "", namespace: "" }]);
  await using seen = await servePage(viewer);
  const asked = page.waitForResponse("**/api/v1/acts?*");
  await page.goto(`${seen.origin}/held`);
  await asked;
  await page.getByText("cluster nova, namespace shop").waitFor();
  expect(await page.getByRole("button", { name: /^(Lift|Release|Freeze|Check)/ }).count()).toBe(0);
});

test("an act that has no answer says that it is not known whether it was done", async () => {
  await using served = await servePage();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.goto("/held");
  await page.getByRole("button", { name: "Lift: cluster nova, namespace shop" }).click();
  await dialogIn(page).getByLabel("Reason").waitFor();
  await page.route("**/api/v1/acts/lift", (route) => route.abort());
  await giveReason(page, "CHG-12 is done");
  await dialogIn(page).getByRole("alert").filter({ hasText: "fleet-reloader does not answer." }).waitFor();
  await dialogIn(page).getByText("It is not known whether it was done").waitFor();
  expect(await dialogIn(page).getByLabel("Reason").inputValue()).toBe("CHG-12 is done");
});
