import { type AccessProvider, accessProviders } from "@fleet-reloader/domain/registration/access-provider";
import {
  type SecretPreset,
  secretPresetNamed,
  secretPresets,
} from "@fleet-reloader/domain/registration/secret-preset";
import { type ConfigOf, inGroup } from "../field.ts";
import { kubeconfigFilesOf } from "../kubeconfig-files.ts";
import { boolean, csvList, optionalBoolean, type Problem, parsedText } from "../types.ts";

const presetNames = secretPresets.map(({ name }) => name).join(", ");
const providerNames = accessProviders.join(", ");

/** The providers of clusters. All services need the same. */
export const fleetFields = inGroup("Clusters and Redis", {
  kubeconfigDirs: {
    schema: csvList(),
    meta: {
      flag: "kubeconfig-dir",
      env: "FLEET_RELOADER_KUBECONFIG_DIRS",
      placeholder: "DIR",
      description:
        "Folder of kubeconfigs (*.yaml, *.yml, *.kubeconfig), re-read when it changes. Every context is a cluster, named after its file, plus +context when the file has several. Files that a kubeconfig names must lie in the folder. Without --kubeconfig only these clusters are served.",
      defaultText: "none",
      isList: true,
    },
  },
  clusterSecrets: {
    schema: csvList().transform((items, context) =>
      items.flatMap((item) => {
        const parsed = parseClusterSecrets(item);
        if (!("problem" in parsed)) return parsed;
        context.addIssue({ code: "custom", message: parsed.problem });
        return [];
      }),
    ),
    meta: {
      flag: "cluster-secrets",
      placeholder: "PRESET[=NAMESPACE]",
      description: `Serve the clusters whose kubeconfigs lie in Secrets of the hub, which is the first cluster of --kubeconfig or the one we run in. Presets: ${presetNames}; for flux the Secrets need the label fleet-reloader.io/cluster=true. Needs get, list and watch on secrets there. cluster-api also needs list and watch on clusters.cluster.x-k8s.io, for labels and pauses.`,
      defaultText: "none; a preset without =NAMESPACE reads all namespaces",
      isList: true,
    },
  },
  argocdNamespace: {
    schema: optionalNamespace("argocd"),
    meta: {
      flag: "argocd-clusters",
      placeholder: "NAMESPACE",
      description:
        "Serve the clusters that are registered with the Argo CD of the hub. Write =NAMESPACE when its namespace is not argocd. Clusters that Argo CD skips are not served. Needs get, list and watch on secrets in that namespace.",
      defaultText: "off",
      isSwitch: true,
    },
  },
  clusterProfiles: {
    schema: optionalNamespace("").transform((namespace) =>
      namespace === undefined ? undefined : { namespace: namespace === "" ? undefined : namespace },
    ),
    meta: {
      flag: "cluster-profiles",
      placeholder: "NAMESPACE",
      description:
        "Serve the clusters of the hub's inventory (ClusterProfile, multicluster.x-k8s.io/v1alpha1), in all namespaces, or in one with =NAMESPACE. Their credentials lie in Secrets of the same namespace. Needs list and watch on clusterprofiles there, and get, list and watch on secrets.",
      defaultText: "off",
      isSwitch: true,
    },
  },
  accessProviders: {
    schema: csvList().transform((names, context): readonly AccessProvider[] => {
      if (names.length === 0) return accessProviders;
      return names.flatMap((name) => {
        const known = accessProviders.find((provider) => provider === name);
        if (known !== undefined) return known;
        context.addIssue({
          code: "custom",
          message: `"${name}" is no access provider known here; write one or more of ${providerNames}`,
        });
        return [];
      });
    }),
    meta: {
      flag: "cluster-profile-providers",
      placeholder: "NAME",
      description:
        "Access providers of a ClusterProfile to use. The first of this list that the profile has is used.",
      defaultText: providerNames,
      isList: true,
    },
  },
  allowExec: {
    schema: csvList(),
    meta: {
      flag: "allow-exec",
      placeholder: "COMMAND",
      description:
        "Exec commands that registrations from folders and Secrets may use for their credentials, exactly as written there. The registration chooses the arguments. This does not restrict --kubeconfig.",
      defaultText: "none",
      isList: true,
    },
  },
  allowLoopbackHttp: {
    schema: boolean(false),
    meta: {
      flag: "allow-loopback-http",
      placeholder: "BOOL",
      description:
        "Accept registrations from folders and Secrets whose server is plain HTTP on this machine, such as kubectl proxy or a simulated cluster. By default they are refused, so that a registration cannot reach programs that listen here. This does not restrict --kubeconfig.",
      isSwitch: true,
    },
  },
  serveHub: {
    schema: optionalBoolean(),
    meta: {
      flag: "serve-hub",
      placeholder: "BOOL",
      description:
        "Serve the cluster of --kubeconfig, or the one we run in, in addition to the registered clusters.",
      defaultText: "true, but false with --kubeconfig-dir alone",
      isSwitch: true,
    },
  },
});

/** The configured providers of clusters, with everything that registration needs. */
export function registrationSourcesOf(
  config: ConfigOf<typeof fleetFields> & {
    readonly kubeconfig: string;
    readonly contexts: readonly string[];
  },
  env: Readonly<Record<string, string | undefined>>,
) {
  return {
    ...config,
    kubeconfigFiles: kubeconfigFilesOf(config.kubeconfig, env),
    isKubeconfigGiven: config.kubeconfig !== "" || config.contexts.length > 0,
  };
}

function parseClusterSecrets(
  item: string,
): { readonly preset: SecretPreset; readonly namespace: string | undefined } | { readonly problem: string } {
  const [name = "", ...rest] = item.split("=");
  const namespace = rest.length === 0 ? undefined : rest.join("=");
  const preset = secretPresetNamed(name);
  if (preset === undefined) return { problem: `"${name}" is no preset; write one of ${presetNames}` };
  if (namespace === undefined || isNamespace(namespace)) return { preset, namespace };
  return { problem: `"${namespace}" is no namespace; write ${name}=NAMESPACE, or ${name} alone for all` };
}

/** A switch with an optional namespace. Undefined: it is off. */
function optionalNamespace(withoutOne: string) {
  return parsedText("", (value): string | undefined | Problem => {
    if (value === "" || /^(0|f|false)$/i.test(value)) return undefined;
    if (/^(1|t|true)$/i.test(value)) return withoutOne;
    if (isNamespace(value)) return value;
    return { problem: "is no namespace; write its name, or true or false" };
  });
}

/** A DNS label, as the API server requires. */
function isNamespace(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
