import {
  fleetOf,
  overviewOf,
  readerOf,
  startServedFleet,
} from "@fleet-reloader/dashboard/fixture/served-fleet";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
import { Fault } from "@fleet-reloader/domain/fault";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { until } from "@fleet-reloader/testkit/until";
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

/** Serves the built page over a fleet that is in memory. */
async function serve(overview: FleetOverview, reader = readerOf([])) {
  const served = await startServedFleet({ overview, reader, loadPage: async () => readPageFiles() });
  return { origin: `http://127.0.0.1:${served.port}`, [Symbol.asyncDispose]: served[Symbol.asyncDispose] };
}

/** A fleet whose every question is answered like this. */
function answering(answer: () => Promise<never>): FleetOverview {
  const all = { clusters: answer, queue: answer, holds: answer };
  return { ...all, freezes: answer, unreadableFreezes: answer, managed: answer, unfinished: answer };
}

/** A history whose every question is answered like this. */
function historyAnswering(answer: () => Promise<never>): ReturnType<typeof readerOf> {
  return {
    notReady: [],
    async *read() {
      yield await answer();
    },
  };
}

/** A page that is told of news asks by itself once in a minute. */
const asksAgainMs = 70_000;

const calm = fleetOf([overviewOf("nova")]);
const refuse = () => Promise.reject(new Fault("redis.unavailable", "redis: no connection"));
const hang = () => new Promise<never>(() => undefined);
const away = answering(refuse);
const asked = ["/", "/changes", "/clusters", "/queue", "/held", "/audit"] as const;

async function seesNoBarrier(page: Page, address: string): Promise<void> {
  expect(await barriers(page), address).toEqual([]);
  expect(await overflow(page), address).toBe(0);
}

test.each(looks)("what is not answered yet says so, $colorScheme and $width wide", async (look) => {
  await using served = await serve(answering(hang), historyAnswering(hang));
  await using window = await openWindow(browser, served.origin, look);
  for (const address of asked) {
    await window.page.goto(address);
    await window.page.getByRole("status").filter({ hasText: "Asking…" }).waitFor();
    await seesNoBarrier(window.page, address);
  }
});

test.each(looks)("a list without elements says why, $colorScheme and $width wide", async (look) => {
  await using served = await serve(calm);
  await using window = await openWindow(browser, served.origin, look);
  const sentences = [
    ["/", "Nothing is failed, stalled, held or still rolling of the 0 changes of the last hour."],
    ["/changes", "No change of a source that a workload uses fits. Without a start the last hour is shown."],
    ["/audit", "Nobody did anything that fits. Without a start the last 7 days are shown."],
    ["/queue", "The last roll of every workload went well, or goes on."],
    ["/held", "Nothing is on hold."],
    ["/workloads/nova", "/workloads/nova shows nothing."],
  ] as const;
  for (const [address, sentence] of sentences) {
    await window.page.goto(address);
    await window.page.getByText(sentence).waitFor();
    await seesNoBarrier(window.page, address);
  }
  expect(window.troubles).toEqual([]);
});

test.each(looks)("a refusal says what to do, $colorScheme and $width wide", async (look) => {
  await using served = await serve(away, historyAnswering(refuse));
  await using window = await openWindow(browser, served.origin, look);
  const { page } = window;
  for (const address of asked) {
    await page.goto(address);
    await page.getByRole("alert").filter({ hasText: "redis: no connection" }).waitFor();
    await page.getByText("What to do:").waitFor();
    await seesNoBarrier(page, address);
  }
  await using well = await serve(calm);
  await page.goto(`${well.origin}/held?reason=Frosen`);
  await page.getByRole("alert").filter({ hasText: "reason Frosen: is not known" }).waitFor();
  await page.getByText("did you mean Frozen?").waitFor();
});

test.each(looks)("an answer that is stale says so and stays, $colorScheme and $width wide", async (look) => {
  let overview = calm;
  const now: FleetOverview = {
    clusters: () => overview.clusters(),
    queue: () => overview.queue(),
    holds: () => overview.holds(),
    freezes: () => overview.freezes(),
    unreadableFreezes: () => overview.unreadableFreezes(),
    managed: (cluster) => overview.managed(cluster),
    unfinished: (request) => overview.unfinished(request),
  };
  await using served = await serve(now);
  await using window = await openWindow(browser, served.origin, look);
  const { page } = window;
  await page.clock.install();
  await page.goto("/");
  const sentence = page.getByText("1 cluster is well.");
  await sentence.waitFor();
  overview = away;
  await page.clock.fastForward(asksAgainMs);
  const stale = page.getByRole("status").filter({ hasText: "stale: the last question had no answer" });
  await stale.waitFor();
  await sentence.waitFor();
  await seesNoBarrier(page, "stale");
  overview = calm;
  // The longest that a page waits after failures.
  await page.clock.fastForward(120_000);
  await stale.waitFor({ state: "hidden" });
});

test("an answer is stale when the next question has no answer for 45 s", async () => {
  let isHanging = false;
  let unanswered = 0;
  const clusters = () => {
    if (!isHanging) return calm.clusters();
    unanswered += 1;
    return new Promise<never>(() => undefined);
  };
  await using served = await serve({ ...calm, clusters });
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.clock.install();
  // Chromium's own keeps the time of the machine.
  await page.addInitScript(`AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    setTimeout(() => over.abort(), ms);
    return over.signal;
  };`);
  await page.goto("/clusters");
  const row = page.getByText("nova");
  await row.waitFor();
  isHanging = true;
  await page.clock.fastForward(asksAgainMs);
  await until("it is asked", () => unanswered >= 1);
  await page.clock.fastForward(45_000);
  const stale = page.getByRole("status").filter({ hasText: "stale: the last question had no answer" });
  await stale.waitFor();
  await row.waitFor();
});

test("a page that grows older keeps what somebody selected, and counts the age on", async () => {
  const records = [
    {
      v: 1,
      time: "2026-01-01T00:00:00.000Z",
      type: "change",
      cluster: { id: "uid-nova", name: "nova" },
      change: "nova/db@7",
      source: { kind: "Secret", namespace: "shop", name: "db" },
      resourceVersion: "7",
    },
  ] as const;
  await using served = await startServedFleet({
    reader: readerOf(records),
    loadPage: async () => readPageFiles(),
  });
  await using window = await openWindow(browser, `http://127.0.0.1:${served.port}`);
  const { page } = window;
  await page.clock.install({ time: "2026-01-01T00:00:10Z" });
  await page.goto("/changes?since=2025-12-31T00:00:00Z");
  const written = page.getByRole("row").nth(1).locator("time");
  await written.waitFor();
  const before = await written.textContent();
  const link = page.getByRole("link", { name: "Secret shop/db" });
  // Until something is selected, an answer that comes takes the place of the row.
  await until("the link is selected", () => link.selectText().then(() => true));
  await page.clock.fastForward(120_000);
  await until("the age counts on", async () => (await written.textContent()) !== before);
  expect(await page.evaluate<string>("getSelection().toString()")).toBe("Secret shop/db");
});

/** Tasks of more than 50 ms of a page, in milliseconds, as its browser tells of them. */
const tellLongTasks = `
  window.longTasks = [];
  const tell = (list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  new PerformanceObserver(tell).observe({ type: "longtask" });
`;

/** Scrolls to the end of a list while its ages are drawn anew three times, and tells the long tasks of that. */
async function scrollThrough(page: Page): Promise<readonly number[]> {
  await page.evaluate("scrollTo(0, 0); window.longTasks = []");
  await page.mouse.move(640, 400);
  for (let step = 0; step < 15; step += 1) {
    await page.mouse.wheel(0, 2000);
    if (step % 5 === 4) await page.clock.fastForward(5000);
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(drawn))");
  }
  await until("it is far down", () => page.evaluate<boolean>("scrollY > 5000"));
  return await page.evaluate<number[]>("window.longTasks");
}

test("the longest list scrolls and counts its ages without a task of 50 ms", async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `cluster-${at}`);
  await using served = await serve(fleetOf(names.map(overviewOf)));
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  await page.clock.install();
  await page.addInitScript(tellLongTasks);
  await page.goto("/clusters?limit=1000");
  await page.getByText(" of 1000 clusters").waitFor();
  expect(await page.getByRole("row").count()).toBeGreaterThan(300);
  // A busy machine makes tasks longer and never shorter, so one way without a long one says it.
  await until("it scrolls without a long task", async () => (await scrollThrough(page)).length === 0);
  // That a long one would be told.
  await page.evaluate(`scheduler.postTask(() => {
    window.busy = "";
    for (let turn = 0; turn < 3e6; turn += 1) window.busy += turn % 10;
  })`);
  await until("the long one is told", () => page.evaluate<boolean>("window.longTasks.length > 0"));
});

test("what tenants write is shown as they wrote it, and is no markup", async () => {
  const nasty = '"><img src="/x" onerror="alert(1)"><script>alert(1)</script>';
  const sick = { ...overviewOf("nova"), status: { state: "Unreachable", why: [nasty] } } as const;
  await using served = await serve(fleetOf([sick]));
  await using window = await openWindow(browser, served.origin);
  const { page, troubles } = window;
  for (const address of ["/", "/clusters"]) {
    await page.goto(address);
    await page.getByText(nasty).waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
  }
  expect(troubles).toEqual([]);
});

test("the way back shows the former view, and the frame says where one is", async () => {
  await using served = await serve(calm);
  await using window = await openWindow(browser, served.origin);
  const { page } = window;
  const views = page.getByRole("navigation", { name: "Views" });
  await page.goto("/");
  for (const name of ["Changes", "Clusters", "Queue", "Holds"]) {
    await views.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    expect(await views.locator("[aria-current=page]").allTextContents()).toEqual([name]);
    expect(await page.title()).toBe(`${name} · fleet-reloader`);
  }
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Queue", exact: true }).waitFor();
});
