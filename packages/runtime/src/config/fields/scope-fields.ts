import { defaultSourceKinds, type SourceKind } from "@fleet-reloader/domain/source/source";
import {
  formatLabelSelector,
  type LabelSelector,
  parseLabelSelector,
} from "@fleet-reloader/domain/workload/label-selector";
import type { Scope, Settings } from "@fleet-reloader/engine/ports/settings";
import { type ConfigOf, type GroupedMeta, inGroup } from "../field.ts";
import { boolean, oneOf, type Problem, parsedList, textValue } from "../types.ts";

/** A DNS label, as the API server requires. */
const namespaceField = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const servedScopeFields = inGroup("What is served", {
  namespace: {
    // For an impossible name the API server returns an empty list, so the mistake would go unnoticed.
    schema: textValue("").refine(
      (name) => name === "" || namespaceField.test(name),
      "is no name of a namespace; write one exact name, or several with --namespaces",
    ),
    meta: {
      flag: "namespace",
      peer: "KUBERNETES_NAMESPACE",
      env: "KUBERNETES_NAMESPACE",
      placeholder: "NAME",
      description: "Serve only this namespace. Needs no cluster-wide rights.",
      defaultText: "all namespaces",
    },
  },
  namespaces: {
    schema: namespaceList(),
    meta: listMeta("namespaces", {
      placeholder: "NAMES",
      description:
        "Serve only these namespaces, each with its own streams. Needs no cluster-wide rights. Overrides --namespace.",
      defaultText: "all namespaces",
    }),
  },
  namespacesToIgnore: {
    schema: namespaceList(),
    meta: listMeta("namespaces-to-ignore", {
      placeholder: "NAMES",
      description: "Exclude these namespaces. Has no effect together with --namespace or --namespaces.",
      defaultText: "none",
      remark: remarkBesideNames,
    }),
  },
  namespaceSelector: {
    schema: selectorField(),
    meta: listMeta("namespace-selector", {
      placeholder: "SELECTOR",
      description:
        "Serve only namespaces whose labels match, from the moment they match. Has no effect together with --namespace or --namespaces.",
      defaultText: "any",
      remark: remarkBesideNames,
    }),
  },
  resourceLabelSelector: {
    schema: selectorField(),
    meta: listMeta("resource-label-selector", {
      placeholder: "SELECTOR",
      description: "Serve only ConfigMaps, Secrets and secret provider classes whose labels match.",
      defaultText: "any",
    }),
  },
  resourcesToIgnore: {
    schema: ignoredKinds(),
    meta: listMeta("resources-to-ignore", {
      placeholder: "KIND",
      description: "configmaps or secrets: this kind is not listed, watched or read, and needs no rights.",
      defaultText: "none",
    }),
  },
  enableCsiIntegration: {
    schema: boolean(false),
    meta: {
      flag: "enable-csi-integration",
      peer: "--enable-csi-integration",
      placeholder: "BOOL",
      description:
        "Serve secret provider classes too. The pod statuses of the Secrets Store CSI driver show when their content changes.",
      isSwitch: true,
    },
  },
});

const appearanceFields = inGroup("When and how a workload rolls", {
  reloadOnCreate: {
    schema: oneOf(["true", "false"], "false").transform((given) => given === "true"),
    meta: appearanceMeta(
      "reload-on-create",
      "A source that was missing and now exists rolls the workload. A source of an optional reference always does.",
    ),
  },
  reloadOnDelete: {
    schema: oneOf(["true", "false"], "false").transform((given) => given === "true"),
    meta: appearanceMeta("reload-on-delete", "A source that existed and is now gone rolls the workload."),
  },
});

/** Which namespaces and sources are served, and whether creation and deletion of a source are changes. */
export const scopeFields = { ...servedScopeFields, ...appearanceFields } as const;

/** The part of the settings that these fields decide. */
export function scopeSettings(
  config: ConfigOf<typeof scopeFields>,
): Pick<Settings, "scope" | "sourceKinds" | "reloadOnCreate" | "reloadOnDelete"> {
  const csi: readonly SourceKind[] = config.enableCsiIntegration ? ["SecretProviderClass"] : [];
  return {
    reloadOnCreate: config.reloadOnCreate,
    reloadOnDelete: config.reloadOnDelete,
    sourceKinds: [...defaultSourceKinds.filter((kind) => kind !== config.resourcesToIgnore), ...csi],
    scope: {
      namespaces: namespaceItems(config),
      ignoredNamespaces: config.namespacesToIgnore,
      namespaceSelector: config.namespaceSelector,
      sourceSelector: config.resourceLabelSelector && formatLabelSelector(config.resourceLabelSelector),
    },
  };
}

function namespaceItems({
  namespaces,
  namespace,
}: Pick<ConfigOf<typeof scopeFields>, "namespaces" | "namespace">): Scope["namespaces"] {
  if (namespaces.length > 0) return namespaces;
  return namespace === "" ? undefined : [namespace];
}

/** Exact names, each once. A pattern is refused: the peer would never match it. */
function namespaceList() {
  return parsedList((names): readonly string[] | Problem => {
    const wrong = names.find((name) => !namespaceField.test(name));
    if (wrong === undefined) return [...new Set(names)];
    return {
      problem: `${JSON.stringify(wrong)} is no name of a namespace; write exact names, such as team-a,team-b`,
    };
  });
}

/** All items form one selector: the comma separates items and requirements alike. */
function selectorField() {
  return parsedList((items): LabelSelector | undefined | Problem => {
    if (items.length === 0) return undefined;
    const parsed = parseLabelSelector(items.join(","));
    if (!("problem" in parsed)) return parsed;
    return { problem: `${parsed.problem}; a requirement with a comma in it goes in double quotes` };
  });
}

const ignorable = { configmaps: "ConfigMap", secrets: "Secret" } as const;

function ignoredKinds() {
  return parsedList((items): SourceKind | undefined | Problem => {
    const kinds = new Set(items.map((item) => item.toLowerCase()));
    const [first, ...others] = kinds;
    if (first === undefined) return undefined;
    if (others.length === 0 && (first === "configmaps" || first === "secrets")) return ignorable[first];
    const isBoth = kinds.size === 2 && kinds.has("configmaps") && kinds.has("secrets");
    if (isBoth) return { problem: "leaves nothing to watch; write configmaps or secrets, not both" };
    return { problem: "must be configmaps or secrets" };
  });
}

function listMeta(
  flag: string,
  rest: Pick<GroupedMeta, "placeholder" | "description" | "remark"> & { readonly defaultText: string },
): GroupedMeta {
  return {
    flag,
    peer: `--${flag}`,
    isList: true,
    ...rest,
  };
}

/** As with the peer, such a restriction does not prevent the start. */
function remarkBesideNames(text: string, textOf: (field: string) => string): string | undefined {
  if (text === "" || (textOf("namespace") === "" && textOf("namespaces") === "")) return undefined;
  return "has no effect together with --namespace or --namespaces; remove one of them";
}

/** These flags of the peer take a value, and only the exact text counts. */
function appearanceMeta(flag: string, description: string): GroupedMeta {
  return {
    flag,
    peer: `--${flag}`,
    placeholder: "BOOL",
    description,
  };
}
