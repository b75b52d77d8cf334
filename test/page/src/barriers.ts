import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/**
 * What keeps people with a handicap from what the page shows now, a line each, as axe-core finds it. All of its impacts count, also
 * those below "serious".
 */
export async function barriers(page: Page): Promise<readonly string[]> {
  // The page's policy lets no script in; a debugger may evaluate one.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ help, id, impact, nodes }) =>
    nodes.map(({ html, target }) => `${impact} ${id}: ${help}: ${target.join(" ")}: ${html.slice(0, 200)}`),
  );
}

/** How many CSS pixels what is shown is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
}
