import type { Locator, Page } from "playwright-core";

/** Somebody at a window, who counts each click and each key, as an operator in a hurry does. */
export class Operator {
  readonly page: Page;
  /** Clicks and keys so far. */
  deeds = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.deeds += 1;
    await what.click();
  }

  async press(key: string): Promise<void> {
    this.deeds += 1;
    await this.page.keyboard.press(key);
  }

  /** Signs in with a token, as somebody who was sent to the sign-in. */
  async signIn(token: string): Promise<void> {
    await headingOf(this.page, "Sign in").waitFor();
    await this.page.getByLabel("Token").fill(token);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  /** Opens the dialog of an act, gives a reason, confirms by the keyboard, reads what was done, and closes it. */
  async act(name: string, reason: string, result: RegExp): Promise<void> {
    const { page } = this;
    await page.getByRole("button", { name, exact: true }).click();
    const dialog = page.getByRole("dialog", { name, exact: true });
    await dialog.getByRole("textbox", { name: "Reason" }).fill(reason);
    await page.keyboard.press("Enter");
    await dialog.getByRole("status").filter({ hasText: result }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  /** Goes to a view by the navigation. */
  async visit(name: string): Promise<void> {
    await this.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
    await headingOf(this.page, name).waitFor();
  }
}

/** The heading of a view. */
export function headingOf(page: Page, name: string): Locator {
  return page.getByRole("heading", { level: 1, name, exact: true });
}

/** A table of a view. */
export function tableOf(page: Page, name: string): Locator {
  return page.getByRole("table", { name, exact: true });
}

/** What a row shows, cell by cell, once it is there. */
export async function textOfRow(row: Locator): Promise<string> {
  await row.waitFor();
  return (await row.getByRole("rowheader").or(row.getByRole("cell")).allTextContents()).join(" | ");
}
