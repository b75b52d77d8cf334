import { expect, test } from "vitest";
import { builtPage } from "./fixture/built.ts";

test("the page builds for a browser, and script and style are at most 60 KiB", async () => {
  const [script, sheet] = await Promise.all([builtPage("main.ts"), builtPage("page.css")]);
  expect(script.length).toBeGreaterThan(5000);
  expect(Buffer.byteLength(script) + Buffer.byteLength(sheet)).toBeLessThanOrEqual(60 * 1024);
});

test("nothing of the page makes markup or code out of text, or asks another site", async () => {
  const [script, sheet] = await Promise.all([builtPage("main.ts"), builtPage("page.css")]);
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
  // The namespace of SVG elements. A browser sends no request to it.
  expect((script + sheet).replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
});

test("the style has colours for light and dark, and a visible focus", async () => {
  const sheet = await builtPage("page.css");
  expect(sheet).toContain("prefers-color-scheme:dark");
  expect(sheet).toContain(":focus-visible");
});
