import { createAccessWorld, subjectsOf, tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { actingFleet, admin } from "@fleet-reloader/dashboard/fixture/acting-fleet";
import { failedRollRecords } from "@fleet-reloader/dashboard/fixture/failed-rolls";
import {
  fleetOf,
  overviewOf,
  readerOf,
  startServedFleet,
} from "@fleet-reloader/dashboard/fixture/served-fleet";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
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

const loadPage = async () => readPageFiles();

/** A page on which Ann acts on a fleet whose history has what she does. Ten workloads use a Secret. */
async function serveAudit() {
  const fleet = actingFleet(admin);
  const used = Array.from({ length: 10 }, (_, at) => ({
    ref: { kind: "Deployment", namespace: "shop", name: `api-${at}` },
    sources: ["Secret/shop/db"],
    patterns: [],
  }));
  fleet.workloads.set("uid-nova", used);
  const { acts, history, overview, records } = fleet;
  const reader = {
    notReady: [],
    read: (...asked: Parameters<ReturnType<typeof readerOf>["read"]>) =>
      readerOf([...history, ...records]).read(...asked),
  };
  const served = await startServedFleet({ acts, overview, reader, loadPage });
  return {
    fleet,
    origin: `http://127.0.0.1:${served.port}`,
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

const dialogIn = (page: Page) => page.getByRole("dialog");

/** Clusters answer what the view of a source shows. */
async function answerForSource(page: Page): Promise<void> {
  const source = { kind: "Secret", namespace: "shop", name: "db" };
  const shown = { cluster: "nova", time: "2026-07-01T12:10:00.000Z", keys: "all", state: "present" };
  await page.route("**/api/v1/sources/**", (route) =>
    route.fulfill({ json: Object.assign({ source, users: [], count: 0 }, shown) }),
  );
}

/** Opens the replay of the Secret, gives a reason and confirms. */
async function replayAll(page: Page): Promise<void> {
  await answerForSource(page);
  await page.goto("/sources/nova/Secret/shop/db");
  await page.getByRole("button", { name: "Check all users of it: Secret shop/db on nova" }).click();
  await dialogIn(page).getByLabel("Reason").fill("rotation 12");
  await dialogIn(page).getByRole("button", { name: "Check 10 workloads" }).click();
}

/** Lets so many additions through; the next ones wait. */
function gateAfter(count: number) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let left = count;
  const turn = async () => {
    left -= 1;
    if (left >= 0) return;
    reached.resolve();
    await gate.promise;
  };
  return { turn, reached: reached.promise, open: () => gate.resolve() };
}

test.each(looks)(
  "an act on many shows how far it is and stops, $colorScheme and $width wide",
  async (look) => {
    await using served = await serveAudit();
    await using window = await openWindow(browser, served.origin, look);
    const { page, troubles } = window;
    const { open, reached, turn } = gateAfter(3);
    served.fleet.awaitTurn(turn);
    await replayAll(page);
    const dialog = dialogIn(page);
    const status = dialog.getByRole("status");
    await status.filter({ hasText: "3 of 10 workloads done" }).waitFor();
    await reached;
    expect(await dialog.getByRole("progressbar", { name: "Progress" }).getAttribute("value")).toBe("3");
    await dialog.locator("button:focus", { hasText: "Stop" }).waitFor();
    expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Stopping…" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    open();
    // The part that was under way is done, and no other.
    await status.filter({ hasText: "Stopped: 4 of 10 workloads done. The other 6 were not done." }).waitFor();
    expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
    expect(served.fleet.added).toHaveLength(4);
    await dialog.locator("button:focus", { hasText: "Close" }).press("Enter");
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Audit" }).click();
    const row = page.getByRole("row", { name: /Secret\/db in namespace shop on nova/ });
    await row.getByText("checked 4 of 10 workloads; the rest was not done").waitFor();
    await row.getByText("rotation 12").waitFor();
    expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
    expect(troubles).toEqual([]);
  },
);

test("an act on many ends by itself and is one act of the audit", async () => {
  await using served = await serveAudit();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await replayAll(page);
  await dialogIn(page).getByText("10 workloads will be checked now").waitFor();
  await page.goto("/audit");
  await page.getByText("checked 10 workloads").waitFor();
  await page.getByText("1 act", { exact: true }).waitFor();
});

test("an act on many stops when its dialog is closed", async () => {
  await using served = await serveAudit();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  const { open, reached, turn } = gateAfter(1);
  served.fleet.awaitTurn(turn);
  await replayAll(page);
  await dialogIn(page).getByText("1 of 10 workloads done").waitFor();
  await reached;
  const answered = page.waitForResponse("**/api/v1/acts/replay");
  // On a busy machine the answer comes before this event, although the dialog is hidden.
  await page.evaluate(
    `document.addEventListener("close", (event) => event.stopImmediatePropagation(), true)`,
  );
  await page.keyboard.press("Escape");
  await dialogIn(page).waitFor({ state: "hidden" });
  open();
  await answered;
  await page.goto("/audit");
  await page.getByText("checked 2 of 10 workloads; the rest was not done").waitFor();
  expect(served.fleet.added).toHaveLength(2);
});

test("an act on many that is refused on its way says how far it came", async () => {
  await using served = await serveAudit();
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  const { open, reached, turn } = gateAfter(1);
  served.fleet.awaitTurn(turn);
  await replayAll(page);
  await dialogIn(page).getByText("1 of 10 workloads done").waitFor();
  await reached;
  const ref = { kind: "Deployment", namespace: "shop", name: "late" };
  served.fleet.workloads.get("uid-nova")?.push({ ref, sources: ["Secret/shop/db"], patterns: [] });
  open();
  await dialogIn(page).getByRole("alert").filter({ hasText: "9 are left now where 8 were" }).waitFor();
  await dialogIn(page).getByText("Stopped: 2 of 10 workloads done. The other 8 were not done.").waitFor();
  expect(await barriers(page)).toEqual([]);
});

test.each(looks)("what failed is discarded with a reason, $colorScheme and $width wide", async (look) => {
  await using served = await serveAudit();
  await using window = await openWindow(browser, served.origin, look);
  const { page } = window;
  const { history } = served.fleet;
  history.push(...failedRollRecords("nova", "api", "ProgressDeadlineExceeded"));
  await page.goto("/queue");
  await page.getByRole("button", { name: "Discard … what failed by ProgressDeadlineExceeded" }).click();
  const dialog = dialogIn(page);
  await dialog.getByText("1 workload is meant:").waitFor();
  await dialog.getByText("It leaves what failed, and nothing is rolled").waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
  await dialog.getByLabel("Reason").fill("the tenant is gone");
  await dialog.getByRole("button", { name: "Discard 1 failed roll" }).click();
  await dialog.getByText("1 is discarded; nothing is rolled for it").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("The last roll of every workload went well, or goes on.").waitFor();
  expect(served.fleet.added).toEqual([]);
  await page.goto("/changes");
  await page.getByRole("link", { name: "Secret shop/db" }).click();
  await page.getByText("discarded by ann: the tenant is gone").waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
});

/** Two acts of two people. */
const twoActs: readonly HistoryRecord[] = [
  {
    v: 1,
    time: new Date().toISOString(),
    type: "operator",
    action: "retry",
    by: "ann",
    target: "Deployment/api in namespace shop on nova",
    scope: { cluster: "nova", namespace: "shop", workload: { kind: "Deployment", name: "api" } },
    reason: "incident 4711",
    count: 1,
  },
  {
    v: 1,
    time: new Date().toISOString(),
    type: "operator",
    action: "freeze",
    by: "bob",
    target: "the fleet",
  },
];

test.each(looks)(
  "the audit is filtered and leads to the object, $colorScheme and $width wide",
  async (look) => {
    await using served = await startServedFleet({ reader: readerOf(twoActs), loadPage });
    await using window = await openWindow(browser, `http://127.0.0.1:${served.port}`, look);
    const { page, troubles } = window;
    await page.goto("/audit");
    await page.getByText("2 acts", { exact: true }).waitFor();
    expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByLabel("Person").fill("ann");
    await page.getByLabel("Person").press("Enter");
    await page.getByText("1 act", { exact: true }).waitFor();
    const object = page.getByRole("link", { name: "Deployment/api in namespace shop on nova" });
    expect(await object.getAttribute("href")).toBe("/workloads/nova/Deployment/shop/api");
    await page.goto("/audit?by=eve");
    await page.getByText("Nobody did anything that fits.").waitFor();
    expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
    expect(troubles).toEqual([]);
  },
);

test.each(looks)("who sees a part is told what is needed, $colorScheme and $width wide", async (look) => {
  const overview = fleetOf([overviewOf("nova")]);
  const grants = [{ role: "viewer", clusters: ["nova"], namespaces: ["shop"] }] as const;
  const { access } = createAccessWorld(subjectsOf({ bob: grants }), overview);
  await using served = await startServedFleet({ access, overview, reader: readerOf(twoActs), loadPage });
  await using window = await openWindow(browser, `http://127.0.0.1:${served.port}`, look);
  const { page } = window;
  await page.goto("/sign-in?then=%2Faudit");
  await page.getByLabel("Token").fill(tokenOf("bob"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Not shown to you" }).waitFor();
  await page
    .getByRole("alert")
    .filter({ hasText: "bob has not the role viewer in all namespaces of all clusters" })
    .waitFor();
  expect([await barriers(page), await overflow(page)]).toEqual([[], 0]);
});
