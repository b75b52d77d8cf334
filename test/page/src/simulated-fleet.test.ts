import { tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, overflow } from "./barriers.ts";
import { looks, openWindow } from "./browser-window.ts";
import { startChromium } from "./chromium.ts";
import { headingOf, Operator, tableOf, textOfRow } from "./on-call-story.ts";
import { podReason, startShownFleet } from "./shown-fleet.ts";
import { takeShot } from "./take-shot.ts";

const stack = new AsyncDisposableStack();
let browser: Awaited<ReturnType<typeof startChromium>>;
let fleet: Awaited<ReturnType<typeof startShownFleet>>;
let cookie = "";
beforeAll(async () => {
  browser = stack.adopt(await startChromium(), (its) => its.close());
  fleet = stack.use(await startShownFleet());
  cookie = await fleet.cookieOf("ann");
});
afterAll(() => stack.disposeAsync());

test("from Now to who froze a workload, why and until when it is one click", async () => {
  await using window = await openWindow(browser, fleet.origin, { cookie });
  const { page } = window;
  await page.goto("/");
  await page.getByRole("link", { name: "1 Frozen" }).click();
  await headingOf(page, "Holds").waitFor();
  const freeze = await textOfRow(tableOf(page, "Freezes in force").getByRole("row").nth(1));
  for (const part of ["otech62", "workload Deployment/web", "CHG-12", "ann", "2099-01-01 18:00:00 UTC"])
    expect(freeze).toContain(part);
  const held = await textOfRow(tableOf(page, "Requests on hold").getByRole("row").nth(1));
  expect(held).toMatch(/^Deployment shop\/web \| otech62 \| .*Frozen \| .*CHG-12 \(by ann\) \| 2099-01-01/);
});

test("the queue says what waits, what is held and what failed, by reason", async () => {
  await using window = await openWindow(browser, fleet.origin, { cookie });
  const { page } = window;
  await page.goto("/");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Queue" }).click();
  await headingOf(page, "Queue").waitFor();
  const held = tableOf(page, "Requests on hold by reason").getByRole("row").nth(1);
  expect(await textOfRow(held)).toMatch(/Frozen \| 1 \| A declared freeze/);
  const failed = tableOf(page, "Workloads whose last roll failed or stalled, by reason");
  expect(await textOfRow(failed.getByRole("row").nth(1))).toMatch(/CreateContainerConfigError.* \| 1 \|/);
  await held.getByRole("link", { name: "Frozen" }).click();
  await tableOf(page, "Requests on hold").waitFor();
  expect(new URL(page.url()).search).toBe("?reason=Frozen");
});

test("each cluster says how far its streams are and which rights are missing", async () => {
  await using window = await openWindow(browser, fleet.origin, { cookie });
  const { page } = window;
  await page.goto("/clusters");
  const row = tableOf(page, "Clusters").getByRole("row").filter({ hasText: "nova" });
  await row.filter({ hasText: "Ready" }).waitFor();
  expect(await textOfRow(row.filter({ hasText: "all" }))).toMatch(/\| none \| all$/);
  expect(window.troubles).toEqual([]);
});

test("keys alone go to a row, open it, filter a list and show the keys", async () => {
  await using window = await openWindow(browser, fleet.origin, { cookie });
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
  await headingOf(page, "Deployment shop/api").waitFor();
});

test.each(looks)("every view loads without a barrier, $colorScheme and $width wide", async (look) => {
  const views = [
    ["/", "Now", "Age: figures", "now"],
    ["/changes", "Changes", "Age: figures"],
    [`/changes/${encodeURIComponent(fleet.change)}`, "Secret shop/db", "Workloads of this change", "change"],
    ["/clusters", "Clusters", "Clusters"],
    ["/queue", "Queue", "Age: figures", "queue"],
    ["/held", "Holds", "Requests on hold", "held"],
    ["/audit", "Audit", "What operators did"],
    ["/workloads/nova/Deployment/shop/api", "Deployment shop/api", "Sources", "workload"],
    ["/sources/nova/Secret/shop/db", "Secret shop/db", "Workloads that use it"],
  ] as const;
  await using window = await openWindow(browser, fleet.origin, { ...look, cookie });
  const { page, troubles } = window;
  for (const [address, title, table, shot] of views) {
    await page.goto(address);
    await headingOf(page, title).waitFor();
    await tableOf(page, table).waitFor();
    expect(await barriers(page), address).toEqual([]);
    expect(await overflow(page), address).toBe(0);
    if (shot !== undefined && look.width > 1000) await takeShot(page, shot, look.colorScheme);
  }
  expect(troubles).toEqual([]);
});

test("plots have a sentence, and the same figures in tables", async () => {
  await using window = await openWindow(browser, fleet.origin, { cookie });
  const { page } = window;
  for (const address of ["/", "/changes", "/queue", "/changes?cluster=nova"]) {
    const [rolled, failed] = address.endsWith("nova") ? [11, 1] : [36, 1];
    await page.goto(address);
    await page
      .getByRole("img", {
        name: new RegExp(`^Rolls from .* UTC, .*: ${rolled} rolled, ${failed} failed or stalled`),
      })
      .waitFor();
    await page
      .getByRole("img", { name: /^Latency from .*: the slowest roll came .* after the write$/ })
      .waitFor();
    const rows = await tableOf(page, "Rolls: figures").getByRole("row").all();
    const cells = await Promise.all(rows.map((row) => row.getByRole("cell").allTextContents()));
    const sum = (at: number) => cells.reduce((all, row) => all + Number(row[at] ?? 0), 0);
    expect([sum(0), sum(1)], address).toEqual([rolled, failed]);
  }
  await page.goto("/queue");
  // What is frozen grows older.
  await page.getByRole("img", { name: /^Age from .*: the oldest is .* old now$/ }).waitFor();
  await page.goto("/changes?cluster=nowhere");
  await page.getByText("Nothing was rolled, and nothing failed.").waitFor();
  expect(window.troubles).toEqual([]);
});

/** From Now to the pod's own reason: Ann clicks, Bob has no mouse. */
async function findReason(one: Operator, isByKeys: boolean): Promise<void> {
  const { page } = one;
  const open = tableOf(page, "Changes that are not done");
  expect(await textOfRow(open.getByRole("row").nth(1))).toMatch(
    /^Secret shop\/db \| .* \| external-secrets \| 14 \|/,
  );
  one.deeds = 0;
  if (isByKeys) {
    await one.press("j");
    await one.press("Enter");
  } else await one.click(open.getByRole("link", { name: "Secret shop/db" }));
  await headingOf(page, "Secret shop/db").waitFor();
  const row = tableOf(page, "Workloads of this change").getByRole("row").filter({ hasText: "failed" });
  const shown = await textOfRow(row);
  for (const part of ["Deployment shop/api", "nova", "CreateContainerConfigError", podReason])
    expect(shown).toContain(part);
  expect(one.deeds).toBeLessThanOrEqual(6);
}

/** One is in the light, one in the dark. The tests above look at what this one changes, so it is the last. */
test("on call, two people find, understand, retry, lift and replay", async () => {
  await using annsWindow = await openWindow(browser, fleet.origin, { colorScheme: "light" });
  await using bobsWindow = await openWindow(browser, fleet.origin, { colorScheme: "dark" });
  const [ann, bob] = [new Operator(annsWindow.page), new Operator(bobsWindow.page)];
  for (const [name, one] of [
    ["ann", ann],
    ["bob", bob],
  ] as const) {
    await one.page.goto("/");
    await one.signIn(tokenOf(name));
    await one.page.getByText(`Signed in as ${name}`).waitFor();
    await findReason(one, name === "bob");
  }
  const change = new URL(ann.page.url());
  const workloads = tableOf(ann.page, "Workloads of this change");
  const failed = workloads.getByRole("row", { name: /failed/ });
  await failed.getByRole("link", { name: "Deployment shop/api" }).click();
  await headingOf(ann.page, "Deployment shop/api").waitFor();
  await tableOf(ann.page, "Sources").getByRole("link", { name: "Secret db" }).waitFor();
  const api = "Deployment shop/api on nova";
  await ann.act(`Check now: ${api}`, "is the key there?", /1 workload will be checked now/);
  await bob.visit("Now");
  await bob.page.getByRole("link", { name: "1 Frozen" }).click();
  await textOfRow(tableOf(bob.page, "Requests on hold").getByRole("row", { name: /CHG-12 \(by ann\)/ }));
  const frozen = "cluster otech62, namespace shop, workload Deployment/web";
  await bob.act(`Lift: ${frozen}`, "CHG-12 is done", /no longer frozen/);
  await bob.page.getByText("Nothing is frozen.").waitFor();
  await ann.page.goto(`${change.pathname}${change.search}`);
  await ann.page.getByText("36 healthy").waitFor();
  await ann.act(`Discard: the failed roll of ${api}`, "its team mends it", /1 is discarded/);
  await ann.page.getByRole("link", { name: "nova", exact: true }).click();
  await tableOf(ann.page, "Workloads that use it")
    .getByRole("link", { name: "Deployment worker-9" })
    .waitFor();
  await ann.act(
    "Check all users of it: Secret shop/db on nova",
    "to be sure",
    /11 workloads will be checked now/,
  );
  await bob.visit("Now");
  await bob.page.getByText("Nothing is failed, stalled, held or still rolling of the 1 changes").waitFor();
  await bob.visit("Audit");
  const done = tableOf(bob.page, "What operators did");
  for (const text of [
    /ann .*is the key there\? .*checked 1 workload/,
    /bob .*CHG-12 is done/,
    /ann .*its team mends it .*discarded 1/,
    /ann .*to be sure .*checked 11 workloads/,
  ])
    await done.getByRole("row", { name: text }).waitFor();
  // What is checked and has the content already is not rolled again.
  expect([fleet.rollsOf("api"), fleet.rollsOf("web"), fleet.rollsOf("worker-9")]).toEqual([14, 14, 1]);
  // Before they signed in they were refused.
  const troubles = [...annsWindow.troubles, ...bobsWindow.troubles];
  expect(troubles.filter((one) => !one.includes("401 (Unauthorized)"))).toEqual([]);
});
