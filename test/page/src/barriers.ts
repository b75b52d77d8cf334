import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Each page that is loaded parses it anew, so it is the one of less than half the size. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * What keeps people with a handicap from what the page shows now, a line each, as axe-core finds it. All of its impacts count, also
 * those below "serious".
 */
export async function barriers(page: Page): Promise<readonly string[]> {
  // The page's policy lets no script in; a debugger may evaluate one.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
  // The other results are many times as long, and would go through three processes to be thrown away.
  const violations = await page.evaluate<AxeResults["violations"]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return violations.flatMap(({ help, id, impact, nodes }) =>
    nodes.map(({ html, target }) => `${impact} ${id}: ${help}: ${target.join(" ")}: ${html.slice(0, 200)}`),
  );
}

/** How many CSS pixels what is shown is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
}
