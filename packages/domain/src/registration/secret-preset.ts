/** How one tool registers clusters by Secrets that hold a kubeconfig: which Secrets these are, and how to read them. */
export interface SecretPreset {
  readonly name: string;
  /** Sent to the API server. Undefined: only the name selects. */
  readonly labelSelector?: string;
  /** The suffix of the names of such Secrets. The rest is the name of the cluster. */
  readonly suffix?: string;
  /** A label whose value is the name of the cluster. The Secret's name has to be this value and the suffix. */
  readonly nameLabel?: string;
  /** The first of these keys that exists holds the kubeconfig. */
  readonly keys: readonly string[];
  /** If none of them exists, the first key in sorted order does. */
  readonly takesAnyKey?: boolean;
}

/**
 * The known tools, by the names people write. The suffix of rancher-fleet is only a convention. Neither flux nor rancher-fleet sets a label, so
 * people add ours to the Secrets of flux.
 */
export const secretPresets: readonly SecretPreset[] = [
  {
    name: "multicluster-runtime",
    labelSelector: "sigs.k8s.io/multicluster-runtime-kubeconfig=true",
    keys: ["kubeconfig"],
  },
  {
    // The contract of control plane providers: `<cluster>-kubeconfig` with the label. Other Secrets have the label, too: keys of the certificate
    // authority, and on EKS `<cluster>-user-kubeconfig`.
    name: "cluster-api",
    labelSelector: "cluster.x-k8s.io/cluster-name",
    suffix: "-kubeconfig",
    nameLabel: "cluster.x-k8s.io/cluster-name",
    keys: ["value"],
  },
  { name: "flux", labelSelector: "fleet-reloader.io/cluster=true", keys: ["value", "value.yaml"] },
  // Sveltos writes renewed kubeconfigs under a separate key and lets the first one expire.
  { name: "sveltos", suffix: "-sveltos-kubeconfig", keys: ["re-kubeconfig"], takesAnyKey: true },
  { name: "rancher-fleet", suffix: "-kubeconfig", keys: ["value"] },
];

/** The preset of a name; undefined when there is none. */
export function secretPresetNamed(name: string): SecretPreset | undefined {
  return secretPresets.find((preset) => preset.name === name);
}

/** The name of the cluster that a Secret registers; undefined when it registers none. */
export function registeredName(
  { suffix = "", nameLabel }: SecretPreset,
  secret: string,
  label: (key: string) => string | undefined,
): string | undefined {
  if (!secret.endsWith(suffix) || secret === suffix) return undefined;
  const name = secret.slice(0, secret.length - suffix.length);
  return nameLabel === undefined || label(nameLabel) === name ? name : undefined;
}

/** The key of a Secret that holds the kubeconfig; undefined when none of them is there. */
export function kubeconfigKey(preset: SecretPreset, present: readonly string[]): string | undefined {
  const known = preset.keys.find((key) => present.includes(key));
  return known === undefined && preset.takesAnyKey === true ? [...present].sort()[0] : known;
}
