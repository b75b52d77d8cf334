import { billingSeed } from "./billing.ts";
import { bystanderSeed } from "./bystanders.ts";
import { catalystSeed } from "./catalyst-api.ts";
import { cinderSeed } from "./cinder-csi.ts";
import { gatewaySeed } from "./gateway.ts";
import { testReloaderSeed } from "./test-reloader.ts";

export const clusterNames = ["nova", "otech62"] as const;
export type ClusterName = (typeof clusterNames)[number];

/** What runs where before the story begins. The two differ in the strategy that catalyst-api asks for. */
export const seedsByCluster: Readonly<Record<ClusterName, readonly object[]>> = {
  nova: [
    ...catalystSeed({ strategy: "env-vars" }),
    ...cinderSeed,
    ...billingSeed,
    ...testReloaderSeed,
    ...bystanderSeed,
  ],
  otech62: [...catalystSeed({ strategy: "annotations" }), ...billingSeed, ...gatewaySeed, ...bystanderSeed],
};
