import { expect, test } from "vitest";
import { createHostGuard } from "./host-guard.ts";

const refusalOf = createHostGuard(["reloader", "Reloader-Watcher.tools.svc."]);

test.each([
  ["a kubelet or Prometheus asks by, of a pod", "10.244.1.7:9090"],
  ["the same has in IPv6", "[fd00:10:244::7]:9090"],
  ["a forwarded port has", "localhost:9090"],
  ["a browser never looks up", "demo.localhost"],
  ["has no port, as the standard ones", "127.0.0.1"],
  ["KEDA asks by", "reloader-watcher.tools.svc:9090"],
  ["is written in another case and with the dot of the root", "RELOADER.:9090"],
  ["comes from no browser", ""],
])("a Host that %s is answered: %s", (_, header) => {
  expect(refusalOf(header)).toBeUndefined();
});

test("a request without a Host is answered: only HTTP/1.0 has none, no browser", () => {
  expect(refusalOf(undefined)).toBeUndefined();
});

test.each([
  "evil.example",
  "evil.example:9090",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "reloader.evil.example",
  "1.2.3",
  "0x7f.1",
  "::1",
  "[::1",
  "[evil.example]",
  "a:b@localhost",
  "localhost:9090:1",
])("the Host %s is refused, with the value and the mend", (header) => {
  expect(refusalOf(header)).toBe(
    `Host: "${header}" is no name of this process; ask by localhost or IP address, or allow the name with --allowed-hosts (FLEET_RELOADER_ALLOWED_HOSTS)`,
  );
});

const inCluster = createHostGuard([], true);

test.each([
  "reloader:9090",
  "reloader.tools.svc:9090",
  "Reloader.tools.svc.:9090",
  "reloader.tools.svc.cluster.local",
])("the Host %s, which no public page has, is answered where Services are", (header) => {
  expect(inCluster(header)).toBeUndefined();
  expect(createHostGuard([])(header)).toContain("is no name of this process");
});

test.each(["evil.example", "svc.evil.example", "reloader.tools", "evilsvc.cluster.local", "x.notsvc", "."])(
  "the Host %s, which may be that of a public page, is refused there too",
  (header) => {
    expect(inCluster(header)).toContain("is no name of this process");
  },
);

test("a refusal repeats no more than a name is long, and nothing that a terminal obeys", () => {
  const refusal = refusalOf(`\u009b2J${"x".repeat(10_000)}`) ?? "";
  expect(refusal).toContain(String.raw`\u{9b}2J`);
  expect(refusal.length).toBeLessThan(500);
});

test("an empty host to listen at allows no further name", () => {
  expect(createHostGuard([""])(".")).toContain('Host: "." is no name of this process');
});
