/** The kinds of the Secrets Store CSI driver, as `test/control-plane/crds/secrets-store.yaml` adds them to a real API server. */
export const secretsStoreResources = [
  {
    group: "secrets-store.csi.x-k8s.io",
    version: "v1",
    kind: "SecretProviderClass",
    plural: "secretproviderclasses",
    hasStatus: false,
  },
  {
    group: "secrets-store.csi.x-k8s.io",
    version: "v1",
    kind: "SecretProviderClassPodStatus",
    plural: "secretproviderclasspodstatuses",
    hasStatus: false,
  },
] as const;
