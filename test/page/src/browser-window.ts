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

/**
 * Opens a window for the pages of one site, with the cookie of a session where one is given. Whatever is awaited in it may take as long as a
 * busy machine needs.
 */
export async function openWindow(
  browser: Browser,
  origin: string,
  look: Partial<Look> & { readonly cookie?: string } = {},
): Promise<BrowserWindow> {
  const { colorScheme, cookie, width } = { ...looks[0], cookie: "", ...look };
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme,
    ...(cookie === "" ? {} : { storageState: { cookies: [cookieOf(cookie, origin)], origins: [] } }),
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

/** A cookie as a browser keeps it. */
function cookieOf(written: string, origin: string) {
  const [name = "", value = ""] = written.split("=");
  const { hostname } = new URL(origin);
  const kept = { path: "/", expires: -1, httpOnly: true, secure: false, sameSite: "Strict" } as const;
  return { name, value, domain: hostname, ...kept };
}
