import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type Shot, type ShotScheme, shotFile, shotHeights } from "./shots.ts";

/** Writes what a window shows as a picture of the docs, where the variable PAGE_SHOTS asks for it: each run would change all of them. */
export async function takeShot(page: Page, shot: Shot, scheme: ShotScheme): Promise<void> {
  if (process.env.PAGE_SHOTS === undefined) return;
  const file = fileURLToPath(new URL(`../../../docs/${shotFile(shot, scheme)}`, import.meta.url));
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ ...before, height: shotHeights[shot] });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await page.screenshot());
  await page.setViewportSize(before);
}
