import { cinderWorkloads, cloudConfig } from "../seeds/cinder-csi.ts";
import { once, type Step } from "./step.ts";

export const cloudConfigRotation: Step = {
  scenario: "S9",
  title: "An application credential is rotated (rolls only)",
  story: [
    "cinder-csi and the cloud controller manager log in with what they read at their start.",
    "The other half of this scenario, a Role for that one namespace, is not part of the story.",
  ],
  acts: [
    {
      who: "kubectl",
      does: "changes Secret openstack-system/cloud-config",
      on: ["nova"],
      write: (cluster, by) => cluster.apply(cloudConfig("app-credential-2"), by),
    },
  ],
  expects: "one roll of each that names it, none of quota-exporter",
  rolls: cinderWorkloads.map((workload) => once("nova", workload)),
};
