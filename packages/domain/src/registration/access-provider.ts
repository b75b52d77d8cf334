/**
 * Ways from a ClusterProfile to credentials that need no plugin: the two built into cluster-inventory-api. We implement them here instead of
 * starting their programs.
 */
export const accessProviders = ["secretreader", "kubeconfig-secretreader"] as const;

/** One of them. */
export type AccessProvider = (typeof accessProviders)[number];
