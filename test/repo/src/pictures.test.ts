import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { shotFile, shots } from "@fleet-reloader/page-tests/shots";
import { expect, test } from "vitest";
import { root } from "./root.ts";

const docs = join(root, "docs");
/** A page with all of its pictures loads in a few seconds on a slow line. */
const bytesMax = 150 * 1024;

const taken = shots.flatMap((shot) => (["light", "dark"] as const).map((scheme) => shotFile(shot, scheme)));

test("the pictures of the page are those that its tests take, small, and each is shown", () => {
  const page = readFileSync(join(docs, "page.md"), "utf8");
  const named = [...page.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file);
  expect(named.toSorted()).toEqual(taken.toSorted());
  expect(
    readdirSync(join(docs, "images"))
      .map((file) => `images/${file}`)
      .toSorted(),
  ).toEqual(taken.toSorted());
  for (const file of taken) {
    expect(existsSync(join(docs, file)), file).toBe(true);
    expect(statSync(join(docs, file)).size, file).toBeLessThan(bytesMax);
  }
});
