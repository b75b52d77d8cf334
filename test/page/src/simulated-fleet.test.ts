import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, overflow } from "./barriers.ts";
import { looks, openWindow } from "./browser-window.ts";
import { startChromium } from "./chromium.ts";
import { podReason, startShownFleet } from "./shown-fleet.ts";

const stack = new AsyncDisposableStack();
let browser: Awaited<ReturnType<typeof startChromium>>;
let fleet: Awaited<ReturnType<typeof startShownFleet>>;
beforeAll(async () => {
  browser = stack.adopt(await startChromium(), (its) => its.close());
  fleet = stack.use(await startShownFleet());
});
afterAll(() => stack.disposeAsync());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const tableOf = (page: Page, name: string) => page.getByRole("table", { name, exact: true });

/** What a row shows, cell by cell, once it is there. */
async function textOfRow(row: Locator): Promise<string> {
  await row.waitFor();
  return (await row.locator("th, td").allTextContents()).join(" | ");
}

test("from Now to the pod's own reason it is at most six clicks", async () => {
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  let clicks = 0;
  const click = async (link: Locator) => {
    clicks += 1;
    await link.click();
  };
  await page.goto("/");
  await heading(page, "Now").waitFor();
  const open = tableOf(page, "Changes that are not done");
  expect(await textOfRow(open.getByRole("row").nth(1))).toMatch(
    /^Secret shop\/db \| .* \| external-secrets \| 14 \|/,
  );
  await click(open.getByRole("link", { name: "Secret shop/db" }));
  await heading(page, "Secret shop/db").waitFor();
  const row = tableOf(page, "Workloads of this change").getByRole("row").filter({ hasText: "failed" });
  const shown = await textOfRow(row);
  expect(shown).toContain("Deployment shop/api");
  expect(shown).toContain("nova");
  expect(shown).toContain("CreateContainerConfigError");
  expect(shown).toContain(podReason);
  expect(clicks).toBeLessThanOrEqual(6);
  await click(row.getByRole("link", { name: "Deployment shop/api" }));
  await heading(page, "Deployment shop/api").waitFor();
  await click(tableOf(page, "Sources").getByRole("link", { name: "Secret db" }));
  await tableOf(page, "Workloads that use it").getByRole("row").nth(11).waitFor();
  expect(window.troubles).toEqual([]);
});

test("from Now to who froze a workload, why and until when it is one click", async () => {
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  await page.goto("/");
  await page.getByRole("link", { name: "1 Frozen" }).click();
  await heading(page, "Holds").waitFor();
  const freeze = await textOfRow(tableOf(page, "Freezes in force").getByRole("row").nth(1));
  for (const part of ["otech62", "workload Deployment/web", "CHG-12", "ann", "2099-01-01 18:00:00 UTC"])
    expect(freeze).toContain(part);
  const held = await textOfRow(tableOf(page, "Requests on hold").getByRole("row").nth(1));
  expect(held).toMatch(/^Deployment shop\/web \| otech62 \| .*Frozen \| .*CHG-12 \(by ann\) \| 2099-01-01/);
});

test("the queue says what waits, what is held and what failed, by reason", async () => {
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  await page.goto("/");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Queue" }).click();
  await heading(page, "Queue").waitFor();
  const held = tableOf(page, "Requests on hold by reason").getByRole("row").nth(1);
  expect(await textOfRow(held)).toMatch(/Frozen \| 1 \| A declared freeze/);
  const failed = tableOf(page, "Workloads whose last roll failed or stalled, by reason");
  expect(await textOfRow(failed.getByRole("row").nth(1))).toMatch(/CreateContainerConfigError \| 1 \|/);
  await held.getByRole("link", { name: "Frozen" }).click();
  await tableOf(page, "Requests on hold").waitFor();
  expect(new URL(page.url()).search).toBe("?reason=Frozen");
});

test("each cluster says how far its streams are and which rights are missing", async () => {
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  await page.goto("/clusters");
  const row = tableOf(page, "Clusters").getByRole("row").filter({ hasText: "nova" });
  await row.filter({ hasText: "Ready" }).waitFor();
  expect(await textOfRow(row.filter({ hasText: "all" }))).toMatch(/\| none \| all$/);
  expect(window.troubles).toEqual([]);
});

test("keys alone go to a row, open it, filter a list and show the keys", async () => {
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  const focused = page.locator(":focus");
  await page.goto("/changes");
  await tableOf(page, "Changes").waitFor();
  await page.keyboard.press("/");
  expect(await focused.getAttribute("name")).toBe("since");
  await page.keyboard.type("2h");
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]since=2h(&|$)/);
  await tableOf(page, "Changes").waitFor();
  await page.keyboard.press("j");
  expect(await focused.textContent()).toBe("Secret shop/db");
  await page.keyboard.press("Enter");
  await tableOf(page, "Workloads of this change").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = await focused.textContent();
  await page.keyboard.press("k");
  const first = await focused.textContent();
  expect([first, second]).toEqual(["Deployment shop/api", "Deployment shop/web"]);
  const keys = page.getByRole("dialog", { name: "Keys" });
  await page.keyboard.press("?");
  await keys.waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
  expect(await focused.textContent()).toBe(first);
  await page.keyboard.press("Enter");
  await heading(page, "Deployment shop/api").waitFor();
});

test.each(looks)("every view loads without a barrier, $colorScheme and $width wide", async (look) => {
  const views = [
    ["/", "Now", "Changes that are not done"],
    ["/changes", "Changes", "Changes"],
    [`/changes/${encodeURIComponent(fleet.change)}`, "Secret shop/db", "Workloads of this change"],
    ["/clusters", "Clusters", "Clusters"],
    ["/queue", "Queue", "Requests on hold by reason"],
    ["/held", "Holds", "Requests on hold"],
    ["/workloads/nova/Deployment/shop/api", "Deployment shop/api", "Sources"],
    ["/sources/nova/Secret/shop/db", "Secret shop/db", "Workloads that use it"],
  ] as const;
  await using window = await openWindow(browser, fleet.origin, look);
  const { page, troubles } = window;
  for (const [address, title, table] of views) {
    await page.goto(address);
    await heading(page, title).waitFor();
    await tableOf(page, table).waitFor();
    expect(await barriers(page), address).toEqual([]);
    expect(await overflow(page), address).toBe(0);
  }
  expect(troubles).toEqual([]);
});
