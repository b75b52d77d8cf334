import { catalystWorkload, handoverKey } from "../seeds/catalyst-api.ts";
import { once, type Step } from "./step.ts";

export const wrongName: Step = {
  scenario: "S3",
  title: "An annotation names the wrong Secret (rolls only)",
  story: [
    "The manifest names handover-jwt-public; the pod mounts catalyst-handover-jwt-public.",
    "Pointing this out is a task for lint and explain, which are not built yet.",
  ],
  acts: [
    {
      // Creation times are whole seconds: what is made just after a roll could as well have been there before.
      afterMs: 1500,
      who: "cloud-init",
      does: "writes Secret catalyst/catalyst-handover-jwt-public",
      on: ["otech62"],
      write: (cluster, by) => cluster.apply(handoverKey("key-1"), by),
    },
  ],
  expects: "no roll: the annotation is taken at its word",
  rolls: [],
};

export const correctedName: Step = {
  scenario: "S3",
  title: "The name is corrected",
  story: ["The pods of catalyst-api still run without the key: the Secret came after they were made."],
  acts: [
    {
      who: "kubectl-annotate",
      does: "names catalyst-handover-jwt-public and harbor-robot-token",
      on: ["otech62"],
      write: (cluster, by) => {
        const { kind, namespace, name } = catalystWorkload;
        const names = "catalyst-handover-jwt-public,harbor-robot-token";
        const annotations = { "secret.reloader.stakater.com/reload": names };
        cluster.patch(kind, namespace, name, { metadata: { annotations } }, by);
      },
    },
  ],
  expects: "one roll, for the Secret that was missed",
  rolls: [once("otech62", catalystWorkload)],
};
