import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";

const restricted = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

/** The securityContext of the pods of one object. */
async function podContext(kind: "Deployment" | "StatefulSet", values: object): Promise<unknown> {
  return at(the(await rendered({ values }), kind), "spec", "template", "spec", "securityContext");
}
const ofProduct = (securityContext: object) =>
  podContext("Deployment", { reloader: { isOpenshift: true, deployment: { securityContext } } });
const ofValkey = (securityContext: object) =>
  podContext("StatefulSet", {
    fleetReloader: { mode: "hub", hub: { valkey: { enabled: true, securityContext } } },
  });

/** The SCC restricted-v2 assigns user and group of the namespace, and refuses all others. */
test.each([
  ["the product", ofProduct, 65_534],
  ["Valkey", ofValkey, 999],
])("without a user %s leaves its group to OpenShift, too", async (_, contextOf, id) => {
  expect(await contextOf({ runAsUser: null })).toEqual(restricted);
  expect(await contextOf({ runAsUser: null, fsGroup: 1_000_650_000 })).toEqual({
    ...restricted,
    fsGroup: 1_000_650_000,
  });
  const ids = { runAsUser: id, runAsGroup: id, fsGroup: id };
  expect(await contextOf({})).toEqual({ ...restricted, ...ids });
  expect(await contextOf({ runAsUser: 1000 })).toEqual({ ...restricted, ...ids, runAsUser: 1000 });
});

/** Its DNS servers listen on 5353, and its network filters after the port of their Service is translated. */
test.each([
  [true, [53, 53, 5353, 5353]],
  [false, [53, 53]],
])("on OpenShift (%j) the network policy opens the ports of names %j", async (isOpenshift, wanted) => {
  const reloader = { isOpenshift, netpol: { enabled: true } };
  const ports = at(
    the(await rendered({ values: { reloader } }), "NetworkPolicy"),
    "spec",
    "egress",
    0,
    "ports",
  );
  expect(Array.isArray(ports) ? ports.map((each) => at(each, "port")) : []).toEqual(wanted);
});
