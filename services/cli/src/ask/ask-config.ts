import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { csvList, textValue } from "@fleet-reloader/runtime/config/types";
import { outputFlag } from "../frame/cli-fields.ts";
import { redisLoginFields } from "../redis/redis-login.ts";
import { serverFields } from "../server/server-fields.ts";

const { kubeconfig, contexts, dataDir, redisUrl } = connectionFields;
const { markKeyFile, markKeySecret } = workerFields;

/** What is asked, and how it is answered. */
const questionFields = {
  inNamespace: {
    schema: textValue(""),
    meta: {
      flag: "namespace",
      aliases: ["n"],
      env: "FLEET_RELOADER_CLI_NAMESPACE",
      placeholder: "NAME",
      description: "The namespace.",
      defaultText: "none; it is required",
      isOnce: true,
    },
  },
  output: outputFlag(["text", "json"], {
    standard: "text",
    description: "text: sentences for people; json: one line for each cluster.",
  }),
} as const;

/** Where the answer is looked for. */
const askedPlaces = {
  kubeconfig,
  contexts: {
    ...contexts,
    meta: { ...contexts.meta, description: "Context of the kubeconfig to ask. May be given several times." },
  },
  clusters: {
    schema: csvList(),
    meta: {
      flag: "cluster",
      env: "FLEET_RELOADER_CLI_CLUSTER",
      placeholder: "NAME",
      description:
        "Registered cluster to ask, by name or id. May be given several times. Give the flags by which the services find their clusters too, for example --cluster-secrets.",
      defaultText: "the contexts of the kubeconfig; with --kubeconfig-dir alone, its only cluster",
      isList: true,
    },
  },
  ...fleetFields,
  redisUrl: {
    ...redisUrl,
    meta: {
      ...redisUrl.meta,
      description: "Redis of the fleet. Without it breakers, budgets and the queue are not known.",
      defaultText: "the embedded one of the data dir, where it runs",
    },
  },
  ...redisLoginFields,
  dataDir,
  markKeyFile: {
    ...markKeyFile,
    meta: {
      ...markKeyFile.meta,
      description:
        "File with the keys of the workers, to compare contents with what is recorded on workloads.",
      defaultText: "mark.key in the data dir, where it exists",
    },
  },
  markKeySecret: {
    ...markKeySecret,
    meta: {
      ...markKeySecret.meta,
      description:
        "Secret with the keys of the workers, in the cluster we run in, or else in the first given cluster. KEY defaults to mark.key.",
    },
  },
} as const;

/** The settings of the services: in a container of theirs they are known. `--namespace` is the question's here. */
const servedFields = {
  ...ruleFields,
  namespace: {
    ...ruleFields.namespace,
    meta: { ...ruleFields.namespace.meta, flag: "served-namespace" },
  },
  namespaces: besideServedNamespace(ruleFields.namespaces),
  namespacesToIgnore: besideServedNamespace(ruleFields.namespacesToIgnore),
  namespaceSelector: besideServedNamespace(ruleFields.namespaceSelector),
  ...brakeFields,
  ...freezeFields,
} as const;

/** A field whose description names `--namespace` of the services by its flag here. */
function besideServedNamespace<Field extends ConfigShape[string]>(field: Field) {
  const description = field.meta.description.replaceAll(/--namespace(?![\w-])/g, "--served-namespace");
  return { ...field, meta: { ...field.meta, description } };
}

/** The flags of `explain`. Settings have the names of the services, so that both decide alike. */
export const explainConfig = { ...questionFields, ...serverFields, ...askedPlaces, ...servedFields } as const;

/** The flags of `plan`. */
export const planConfig = {
  keys: {
    schema: csvList(),
    meta: {
      flag: "key",
      env: "FLEET_RELOADER_CLI_KEY",
      placeholder: "NAME",
      description: "Key of the source that changes. May be given several times.",
      defaultText: "all keys",
      isList: true,
    },
  },
  ...explainConfig,
} as const;
