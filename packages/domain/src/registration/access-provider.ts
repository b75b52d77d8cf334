/**
 * Ways from a ClusterProfile to credentials that need no plugin: the two that cluster-inventory-api comes with. Their programs
 * are not started; what they do is done here.
 */
export const accessProviders = ["secretreader", "kubeconfig-secretreader"] as const;

/** One of them. */
export type AccessProvider = (typeof accessProviders)[number];
