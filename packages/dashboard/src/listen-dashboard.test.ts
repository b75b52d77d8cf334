import type { HistoryLine } from "@fleet-reloader/redis/history/history-reader";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { askAs } from "@fleet-reloader/testkit/ask-as";
import { expect, test } from "vitest";
import { listenDashboard } from "./listen-dashboard.ts";

/** A record with a control character that a terminal would obey. */
const line: HistoryLine = {
  id: "1-0-0",
  record: {
    v: 1,
    time: "2026-01-01T00:00:00.000Z",
    type: "operator",
    action: "freeze",
    by: "ann",
    target: "fleet",
    note: "\u009b2J",
  },
};

async function startDashboard(allowedHosts: readonly string[] = []) {
  const dashboard = await listenDashboard({
    address: { host: "127.0.0.1", port: 0, allowedHosts },
    queues: [],
    reader: {
      notReady: [],
      async *read() {
        yield line;
      },
    },
    clock: systemClock,
  });
  return {
    ask: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      askAs({ port: dashboard.port, path, headers }),
    [Symbol.asyncDispose]: () => dashboard.close(),
  };
}

test("a browser gets the history as text, and a program as JSON lines", async () => {
  await using dashboard = await startDashboard();
  // Chromium and Firefox send this for a page.
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  expect(await dashboard.ask("/history", { accept })).toMatchObject({
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "content-disposition": "inline" },
  });
  const program = await dashboard.ask("/history", { accept: "*/*" });
  expect(program.headers).toMatchObject({ "content-type": "application/x-ndjson; charset=utf-8" });
  expect(program.body).toContain(String.raw`"note":"\u009b2J"`);
  expect(JSON.parse(program.body)).toEqual({ id: line.id, ...line.record });
});

test.each(["/history", "/queues", "/"])("%s refuses a host name that is not allowed", async (path) => {
  await using dashboard = await startDashboard(["reloader.tools.svc"]);
  const refused = await dashboard.ask(path, { host: "evil.example:8080" });
  expect(refused).toMatchObject({ status: 421 });
  expect(refused.body).toContain('Host: "evil.example:8080"');
  expect(refused.body).toContain("--allowed-hosts");
  expect(refused.body).not.toContain("ann");
  expect(await dashboard.ask("/history", { host: "reloader.tools.svc:8080" })).toMatchObject({
    status: 200,
  });
});
