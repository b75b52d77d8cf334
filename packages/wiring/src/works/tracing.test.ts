import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const tracing = new URL("./tracing.ts", import.meta.url).href;
const loadedModules = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
const { openTracing } = await import(${JSON.stringify(tracing)});
const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const otlpEndpoint = process.argv[1] ? new URL(process.argv[1]) : undefined;
const opened = await openTracing({ config: { otlpEndpoint, otlpHeaders: {} }, clock, log: {} });
await opened.stop();
console.log(JSON.stringify(loaded));
`;

/** The modules that a process of its own has loaded once tracing is open. */
async function modulesOf(...endpoint: readonly string[]): Promise<readonly string[]> {
  const args = ["--input-type=module", "--eval", loadedModules, ...endpoint];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const loaded: unknown = JSON.parse(stdout);
  return Array.isArray(loaded) ? loaded.map(String) : [];
}

test("without a collector no module of the exporter or of HTTP is loaded", async () => {
  const loaded = await modulesOf();
  expect(loaded).toContain(tracing);
  expect(loaded.filter((url) => /\/notify\/|undici/.test(url))).toEqual([]);
});

test("with a collector they are", async () => {
  const loaded = await modulesOf("http://127.0.0.1:4318");
  expect(loaded.some((url) => url.endsWith("/notify/src/traces/trace-exporter.ts"))).toBe(true);
});
