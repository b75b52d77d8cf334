import type { Browser } from "playwright-core";

/** A view of the page, from the begin of its navigation. */
export interface TimedPaint {
  readonly view: string;
  /** Until the browser has painted the frame for the shell, before any answer. */
  readonly shellMs: number;
  /** Until it has painted the frame that shows the answer. */
  readonly usefulMs: number;
  /** Its longest task until then. */
  readonly longestTaskMs: number;
}

/** Runs before the page: tells when the answer of the view has been painted, by the clock of the page, which begins with the navigation. */
const tellPaint = `
  window.paint = { tasks: [], useful: Promise.withResolvers() };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.paint.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const isUseful = () => document.querySelector("main h1") !== null && document.querySelector("main p.none[role=status]") === null;
  const watch = new MutationObserver(() => {
    if (!isUseful()) return;
    watch.disconnect();
    requestAnimationFrame(() => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => window.paint.useful.resolve(performance.now());
      painted.port2.postMessage("");
    });
  });
  watch.observe(document, { childList: true, subtree: true });
`;

/** Opens a view as somebody does who has never been there: nothing is in the cache of the browser. */
export async function timedPaint(browser: Browser, origin: string, view: string): Promise<TimedPaint> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(tellPaint);
    await page.goto(view);
    const usefulMs = await page.evaluate<number>("window.paint.useful.promise");
    const alerts = await page.getByRole("alert").allTextContents();
    if (alerts.length > 0) throw new Error(`${view}: ${alerts.join(" ")}`);
    const [shellMs, longestTaskMs] = await page.evaluate<[number, number]>(`[
      performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
      Math.max(0, ...window.paint.tasks),
    ]`);
    return { view, shellMs, usefulMs, longestTaskMs };
  } finally {
    await context.close();
  }
}
