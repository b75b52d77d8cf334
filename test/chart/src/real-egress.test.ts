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
});
