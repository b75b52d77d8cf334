import { catalystWorkload, handoverKey, harborToken, sovereignFqdn } from "../seeds/catalyst-api.ts";
import { once, type Step } from "./step.ts";

export const burst: Step = {
  scenario: "S4",
  title: "Three objects change within one second",
  story: [
    "catalyst-api has strategy Recreate, a ReadWriteOnce volume, and long tofu runs inside:",
    "each restart is an outage.",
  ],
  acts: [
    {
      who: "kustomize-controller",
      does: "changes ConfigMap catalyst/sovereign-fqdn",
      on: ["otech62"],
      write: (cluster, by) => cluster.apply(sovereignFqdn("console.otech62.omani.works"), by),
    },
    {
      afterMs: 400,
      who: "cloud-init",
      does: "changes Secret catalyst/catalyst-handover-jwt-public",
      on: ["otech62"],
      write: (cluster, by) => cluster.apply(handoverKey("key-2"), by),
    },
    {
      afterMs: 400,
      who: "reflector",
      does: "changes Secret catalyst/harbor-robot-token",
      on: ["otech62"],
      write: (cluster, by) => cluster.apply(harborToken("robot-2026"), by),
    },
  ],
  expects: "one restart, not three",
  rolls: [once("otech62", catalystWorkload)],
  // Longer than the quiet period: a restart of its own for an earlier object would show here.
  settleMs: 2500,
};
