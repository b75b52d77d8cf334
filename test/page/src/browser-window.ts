import { patienceMs } from "@fleet-reloader/testkit/until";
import type { Browser, Page } from "playwright-core";

/** How a person looks at the page. */
export interface Look {
  readonly colorScheme: "light" | "dark";
  /** Of the window, in CSS pixels. */
  readonly width: number;
}

/** A desk in the light, a desk in the dark, and a telephone. */
export const looks = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "dark", width: 360 },
] as const satisfies readonly Look[];

/** A window of its own with one page. */
export interface BrowserWindow extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the script, what the page's policy refused, and requests to other sites. */
  readonly troubles: readonly string[];
}

/** Opens a window for the pages of one site. Whatever is awaited in it may take as long as a busy machine needs. */
export async function openWindow(
  browser: Browser,
  origin: string,
  { colorScheme, width }: Look = looks[0],
): Promise<BrowserWindow> {
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme,
    viewport: { width, height: 800 },
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) troubles.push(`asks ${request.url()}`);
  });
  return { page, troubles, [Symbol.asyncDispose]: () => context.close() };
}
