import { describe, expect, test } from "vitest";
import { rendered } from "./helm.ts";
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

describe("the network policy opens", () => {
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
  const env = (given: object) => ({ reloader: { deployment: { env: given } } });
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

  test("nothing else without webhook, collector, issuer and Redis", async () => {
    expect(await egressPorts(env({ open: { ENVIRONMENT: "prod", [webhook]: "" } }))).toHaveLength(2);
  });
});
