import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rendered, root } from "./helm.ts";
import { at, the } from "./manifest.ts";

/** The ports of each rule of egress when the API servers are named, so that no rule is open for all else. */
async function egressPorts(values: object): Promise<readonly (readonly unknown[])[]> {
  const { reloader = {} }: { reloader?: object } = values;
  const netpol = { enabled: true, to: [{ ipBlock: { cidr: "10.96.0.1/32" } }] };
  const given = { ...values, reloader: { ...reloader, netpol } };
  const egress = at(the(await rendered({ values: given }), "NetworkPolicy"), "spec", "egress");
  return (Array.isArray(egress) ? egress : []).map((rule) => {
    const ports = at(rule, "ports");
    return Array.isArray(ports) ? ports.map((each) => at(each, "port")) : [];
  });
}

const env = (given: object) => ({ reloader: { deployment: { env: given } } });

/** Every URL that the product calls: flag and variable, as the reference has them. */
const reference = readFileSync(join(root, "docs/reference/config.md"), "utf8");
const called = [...reference.matchAll(/^\| `--([a-z-]+)` \| `([A-Z_]+)` \| URL \|/gm)]
  .map(([, flag = "", variable = ""]) => ({ flag, variable }))
  // Where people are sent back to: nothing of ours calls it.
  .filter(({ flag }) => flag !== "oidc-redirect-url");

describe("the network policy opens", () => {
  test("the port of every URL that a flag or a variable of the values names", async () => {
    expect(called.length).toBeGreaterThan(6);
    for (const { flag, variable } of called) {
      const address = `${flag === "redis-url" ? "redis" : "https"}://u:p@host.example:3128/x`;
      for (const values of [
        { fleetReloader: { args: ["--log-level=info", `--${flag}=${address}`] } },
        { fleetReloader: { args: [`--${flag}`, address] } },
        env({ open: { [variable]: address } }),
        env({ secret: { [variable]: address } }),
      ])
        expect((await egressPorts(values)).flat(), JSON.stringify(values)).toContain(3128);
    }
  });

  test("the port of the peer's webhook, and of the proxy instead of the URL behind it", async () => {
    const ports = async (more: object) => (await egressPorts({ reloader: more })).at(-1);
    expect(await ports({ webhookUrl: "http://hooks:8080/changed" })).toEqual([443, 80, 8080]);
    const alerts = { ALERT_WEBHOOK_URL: "https://hooks:9443/T0", ALERT_WEBHOOK_PROXY: "http://proxy:3128" };
    expect(await ports({ deployment: { env: { secret: alerts } } })).toEqual([443, 80, 3128]);
  });

  test("a port that is written beside a variable, and none that only a variable knows", async () => {
    const ports = async (webhookUrl: string) => (await egressPorts({ reloader: { webhookUrl } })).at(-1);
    expect(await ports("http://$(NODE_IP):8080")).toEqual([443, 80, 8080]);
    expect(await ports("http://hooks:$(PORT)/x")).toEqual([443, 80]);
  });

  // To Kubernetes an empty list of ports is every port.
  test("nothing for webhooks and API servers of which no port is named", async () => {
    const existing = { hooks: { ALERT_WEBHOOK_URL: "url" } };
    const networkPolicy = { alertPorts: [], apiServerPorts: [] };
    const rules = await egressPorts({ ...env({ existing }), fleetReloader: { networkPolicy } });
    expect(rules).toEqual([[53, 53]]);
  });

  test("the port of the values for a Redis whose URL a Secret has", async () => {
    const existing = { redis: { FLEET_RELOADER_REDIS_URL: "url" } };
    const given = { ...env({ existing }), fleetReloader: { redis: { port: 6390 } } };
    expect(await egressPorts(given)).toContainEqual([6390]);
  });

  test.each([
    ["https://10.0.0.12/realms/x", 443],
    ["https://id.example.org", 443],
    ["https://id.example.org:8443/realms/x", 8443],
    ["https://[fd00::12]/realms/x", 443],
    ["https://[fd00::12]:9443", 9443],
  ])("for the issuer %s port %d", async (issuerUrl, port) => {
    const oidc = { issuerUrl, clientId: "reloader", redirectUrl: "https://reloader.example.org" };
    const access = { existingSecret: "access", oidc };
    expect((await egressPorts({ fleetReloader: { access } })).slice(2)).toEqual([[port]]);
  });

  const webhook = "FLEET_RELOADER_NOTIFY_WEBHOOK_URL";
  const hookUrl = "https://hooks.example/rolled";
  const redis = { mode: "hub", redis: { url: "redis://redis" } };

  test.each([
    ["a variable", env({ open: { [webhook]: hookUrl } })],
    ["a variable that is kept in a Secret", env({ secret: { [webhook]: hookUrl } })],
    ["a Secret", env({ existing: { hook: { [webhook]: "url" } } })],
    ["a flag", { fleetReloader: { args: [`--notify-webhook-url=${hookUrl}`] } }],
    ["two words", { fleetReloader: { args: ["--notify-webhook-url", hookUrl] } }],
    [
      "a flag of the workers",
      { fleetReloader: { ...redis, hub: { worker: { args: [`--notify-webhook-url=${hookUrl}`] } } } },
    ],
  ])("the ports of webhooks when %s names one to notify", async (_, values) => {
    expect(await egressPorts(values)).toContainEqual([443, 80]);
  });

  test.each([
    ["http://collector:4318", 4318],
    ["https://otlp.example.org", 443],
    ["http://10.0.0.43", 80],
  ])("for the collector %s port %d", async (url, port) => {
    expect((await egressPorts(env({ open: { OTEL_EXPORTER_OTLP_ENDPOINT: url } }))).slice(2)).toEqual([
      [port],
    ]);
  });

  test.each([
    ["a Secret of the release", env({ secret: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" } })],
    ["a flag", { fleetReloader: { args: ["--otlp-endpoint=http://collector:4318"] } }],
    [
      "a flag of the workers",
      {
        fleetReloader: { ...redis, hub: { worker: { args: ["--otlp-endpoint", "http://collector:4318"] } } },
      },
    ],
  ])("for the collector that %s names its port", async (_, values) => {
    expect((await egressPorts(values)).at(-1)).toEqual([4318]);
  });

  test("nothing else without webhook, collector, issuer and Redis", async () => {
    expect(await egressPorts(env({ open: { ENVIRONMENT: "prod", [webhook]: "" } }))).toHaveLength(2);
  });
});
