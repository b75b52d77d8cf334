import { certificate, certificateSecret, gatewayWorkload, nextPrivateKey } from "../seeds/gateway.ts";
import { once, type Step } from "./step.ts";

export const renewal: Step = {
  scenario: "S6",
  title: "cert-manager renews a certificate",
  story: ["The next private key waits in a Secret of its own; once signed, both keys are put in place."],
  acts: [
    {
      who: "cert-manager",
      does: "creates Secret gateway/console-tls-7k2mq",
      on: ["otech62"],
      write: (cluster, by) => cluster.apply(nextPrivateKey, by),
    },
    {
      afterMs: 300,
      who: "cert-manager",
      does: "renews tls.crt and tls.key of Secret gateway/console-tls",
      on: ["otech62"],
      write: (cluster, by) => {
        cluster.apply(certificate("serial-2"), by);
        cluster.remove("Secret", certificateSecret.namespace, "console-tls-7k2mq", by);
      },
    },
  ],
  expects: "one roll of the gateway",
  rolls: [once("otech62", gatewayWorkload)],
};
