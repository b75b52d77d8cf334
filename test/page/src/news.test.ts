import { startRedisFleet } from "@fleet-reloader/dashboard/fixture/redis-fleet";
import { readerOf, startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { readPageFiles } from "@fleet-reloader/dashboard/page-files";
import type { ChangeRecord } from "@fleet-reloader/engine/history/history";
import { until } from "@fleet-reloader/testkit/until";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "./barriers.ts";
import { openWindow } from "./browser-window.ts";
import { startChromium } from "./chromium.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

/** The page asks by itself after these, unless something failed. Where it never does, nothing but news leads to a question. */
const onlyNews = `
  const after = setTimeout;
  window.setTimeout = (run, ms) => (ms === 10_000 || ms === 60_000 ? 0 : after(run, ms));
`;

function changed(name: string): ChangeRecord {
  return {
    v: 1,
    time: new Date().toISOString(),
    type: "change",
    cluster: { id: "uid-nova", name: "nova" },
    change: `nova/${name}@7`,
    source: { kind: "Secret", namespace: "shop", name },
    resourceVersion: "7",
  };
}

/** A dashboard over records that a test adds. */
async function serveRecords() {
  const records: ChangeRecord[] = [];
  const served = await startServedFleet({
    reader: readerOf(records),
    freshness: {
      historyEnd: async () => {
        const { length } = records;
        return { id: `${length}-0-0`, ids: [`${length}-0`], added: [length] };
      },
      versions: async () => ({ held: "", queue: "", clusters: "" }),
    },
    loadPage: async () => readPageFiles(),
  });
  return { served, records, origin: `http://127.0.0.1:${served.port}` };
}

const live = (page: Page) => page.getByText(/^live, /).waitFor();
const secret = (page: Page, name: string) =>
  page.getByRole("link", { name: `Secret shop/${name}` }).waitFor();

test("a change is shown because of its news, and not because the page asks by itself", async () => {
  const { origin, records, served } = await serveRecords();
  await using _ = served;
  await using window = await openWindow(browser, origin);
  const { page } = window;
  await page.addInitScript(onlyNews);
  await page.goto("/changes");
  await live(page);
  for (const name of ["db", "cache", "mail"]) {
    records.push(changed(name));
    await secret(page, name);
  }
  expect(await barriers(page)).toEqual([]);
  expect(window.troubles).toEqual([]);
});

test("the tabs of a browser share one stream, and another takes over", async () => {
  const { origin, records, served } = await serveRecords();
  await using _ = served;
  await using window = await openWindow(browser, origin);
  const [first, second, third] = [
    window.page,
    await window.page.context().newPage(),
    await window.page.context().newPage(),
  ];
  for (const tab of [first, second, third]) {
    await tab.addInitScript(onlyNews);
    await tab.goto("/changes");
    await live(tab);
  }
  expect(served.streams()).toBe(1);
  records.push(changed("db"));
  for (const tab of [first, second, third]) await secret(tab, "db");
  await first.close();
  await second.close();
  await until("the third tab holds the stream", () => served.streams() === 1);
  records.push(changed("cache"));
  await secret(third, "cache");
  await until("there is one stream", () => served.streams() === 1);
});

test("a tab that nobody sees holds no stream, and asks at once when it is seen", async () => {
  const { origin, records, served } = await serveRecords();
  await using _ = served;
  await using window = await openWindow(browser, origin);
  const { page } = window;
  await page.addInitScript(onlyNews);
  await page.addInitScript(
    `Object.defineProperty(document, "hidden", { get: () => window.isCovered === true });`,
  );
  const cover = (isCovered: boolean) =>
    page.evaluate(`window.isCovered = ${isCovered}; document.dispatchEvent(new Event("visibilitychange"));`);
  await page.goto("/changes");
  await live(page);
  await cover(true);
  await until("there is no stream", () => served.streams() === 0);
  records.push(changed("db"));
  await cover(false);
  await secret(page, "db");
  await live(page);
  expect(served.streams()).toBe(1);
});

test("who is not signed in asks for no other stream, until a question is answered", async () => {
  const { origin, served } = await serveRecords();
  await using _ = served;
  await using window = await openWindow(browser, origin);
  const { page } = window;
  const counts = { streams: 0, questions: 0, answered: 0 };
  const problem = { code: "access.expired", problem: "the sign-in is over", mend: "Sign in." };
  let isSignedIn = false;
  const isQuestion = (request: Request) => /\/api\/v1\/(?!news)/.test(request.url());
  const ends = (request: Request) => {
    if (isQuestion(request)) counts.answered += 1;
  };
  page.on("requestfinished", ends).on("requestfailed", ends);
  // No time passes while a question is under way: it would have no answer in time. The page may not have read the last answer yet when time
  // passes, and waits from then on.
  const asksAfter = (isAsked: () => boolean) =>
    until("it asks", async () => {
      if (!isAsked() && counts.answered === counts.questions) await page.clock.fastForward(120_000);
      return isAsked();
    });
  await page.route("**/api/v1/**", async (route) => {
    const isStream = route.request().url().endsWith("/news");
    if (isStream) counts.streams += 1;
    else counts.questions += 1;
    if (isSignedIn) await route.continue();
    else await route.fulfill({ status: 401, json: problem });
  });
  await page.clock.install();
  await page.goto("/clusters");
  await page.getByText("the sign-in is over").waitFor();
  for (let minutes = 0; minutes < 10; minutes += 2) {
    const { questions } = counts;
    await asksAfter(() => counts.questions > questions);
  }
  expect(counts.streams).toBe(1);
  isSignedIn = true;
  await asksAfter(() => counts.streams > 1);
  await live(page);
});

test("a page whose stream breaks is not live, asks soon and says that it is stale", async () => {
  const { origin, served } = await serveRecords();
  await using window = await openWindow(browser, origin);
  const { page } = window;
  await page.goto("/clusters");
  await live(page);
  await served.close();
  const age = page.locator("#age");
  await until("it is not live", async () => /^\d/.test((await age.textContent()) ?? ""));
  await page.getByRole("status").filter({ hasText: "stale: the last question had no answer" }).waitFor();
  await page.getByText("nova").waitFor();
});

test("a page says that Redis lost the history, and fills by itself after", async () => {
  await using fleet = await startRedisFleet(async () => readPageFiles());
  await using window = await openWindow(browser, fleet.origin);
  const { page } = window;
  await page.addInitScript(onlyNews);
  await fleet.list(["nova"]);
  await fleet.write(changed("db"));
  await page.goto("/changes");
  await secret(page, "db");
  await live(page);
  await fleet.wipe();
  await page
    .getByRole("status")
    .filter({ hasText: /the history before .* is gone: Redis lost it/ })
    .waitFor();
  await page.getByRole("link", { name: "Secret shop/db" }).waitFor({ state: "detached" });
  expect(await barriers(page)).toEqual([]);
  await fleet.list(["nova"]);
  await fleet.write(changed("cache"));
  await secret(page, "cache");
  await page.getByRole("link", { name: "Clusters", exact: true }).click();
  await page.getByText("nova").waitFor();
});
