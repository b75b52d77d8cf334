import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const style = fileURLToPath(new URL("../src/page.css", import.meta.url));

/** As `infra/bundle` builds it. */
async function built(entry: string): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    minify: true,
    write: false,
    logLevel: "silent",
    entryPoints: [entry],
  });
  return outputFiles[0]?.text ?? "";
}

test("the page builds for a browser, and script and style are at most 60 KiB", async () => {
  const [script, sheet] = await Promise.all([built(main), built(style)]);
  expect(script.length).toBeGreaterThan(5000);
  expect(Buffer.byteLength(script) + Buffer.byteLength(sheet)).toBeLessThanOrEqual(60 * 1024);
});

test("nothing of the page makes markup or code out of text, or asks another site", async () => {
  const [script, sheet] = await Promise.all([built(main), built(style)]);
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
  expect(script + sheet).not.toMatch(/https?:\/\//);
});

test("the style has colours for light and dark, and a visible focus", async () => {
  const sheet = await built(style);
  expect(sheet).toContain("prefers-color-scheme:dark");
  expect(sheet).toContain(":focus-visible");
});
