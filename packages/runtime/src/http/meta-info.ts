import process from "node:process";
import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { rolloutStrategyAnnotation } from "@fleet-reloader/domain/kind/rollout";
import type { ConfigShape } from "../config/field.ts";
import { type ConfigSources, givenValues, loadConfig } from "../config/load.ts";
import { csvList } from "../config/types.ts";
import { version } from "../process/version.ts";
import { addressText } from "./socket-address.ts";

/** Fields that have another name in the peer's JSON than here (compat 4.5). */
const peerNames: Readonly<Record<string, string>> = {
  "configmap-annotation": "configmapUpdateOnChangeAnnotation",
  "secret-annotation": "secretUpdateOnChangeAnnotation",
  "auto-annotation": "reloaderAutoAnnotation",
  "configmap-auto-annotation": "configmapReloaderAutoAnnotation",
  "secret-auto-annotation": "secretReloaderAutoAnnotation",
  "ignore-annotation": "ignoreResourceAnnotation",
  "enable-csi-integration": "enableCSIIntegration",
  "enable-ha": "enableHA",
  "enable-pprof": "enablePProf",
  "pprof-addr": "pprofAddr",
  "ignored-workload-types": "workloadTypesToIgnore",
  "namespace-selector": "namespaceSelectors",
  "resource-label-selector": "resourceSelectors",
};

/** A time that readers of the peer's JSON can parse, and that means "unknown". */
const noTime = "0001-01-01T00:00:00Z";

const { ConfigMap, Secret, SecretProviderClass } = defaultDialect.kinds;
/** Annotation keys that no flag changes, but that the peer lists among its options. */
const fixedKeys = {
  secretProviderClassUpdateOnChangeAnnotation: SecretProviderClass.named,
  secretProviderClassReloaderAutoAnnotation: SecretProviderClass.auto,
  configmapExcludeReloaderAnnotation: ConfigMap.exclude,
  secretExcludeReloaderAnnotation: Secret.exclude,
  secretProviderClassExcludeReloaderAnnotation: SecretProviderClass.exclude,
  rolloutStrategyAnnotation,
};

/** The self-description of an installation with a valid configuration: three keys with JSON, as the peer's tools read them. No secrets. */
export function metaInfoOf(
  shape: ConfigShape,
  sources: ConfigSources,
  deployment: { readonly name: string; readonly namespace: string },
): Readonly<Record<string, string>> {
  const buildInfo = {
    goVersion: `node ${process.version}`,
    releaseVersion: version,
    commitHash: "unknown",
    commitTime: noTime,
    edition: "oss",
  };
  return {
    buildInfo: JSON.stringify(buildInfo),
    reloaderOptions: JSON.stringify({ ...optionsOf(shape, sources), ...fixedKeys }),
    deploymentInfo: JSON.stringify({ ...deployment, creationTimestamp: null }),
  };
}

function optionsOf(shape: ConfigShape, sources: ConfigSources) {
  const given = givenValues(shape, sources).values;
  const config: Readonly<Record<string, unknown>> = loadConfig(shape, sources);
  return Object.fromEntries(
    Object.entries(shape).flatMap(([field, { meta }]) => {
      if (meta.isSecret === true) return [];
      const text = given.get(field)?.value;
      const value = meta.isList === true ? csvList().parse(text) : (plainSetting(config[field]) ?? text);
      return value === undefined ? [] : [[peerNames[meta.flag] ?? camelCase(meta.flag), value] as const];
    }),
  );
}

/** The value if it fits the peer's JSON, whose fields are texts, booleans and lists of texts; undefined: nothing, or another type. */
function plainSetting(value: unknown): string | boolean | number | undefined {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "object" && value !== null && "host" in value && "port" in value)
    return addressText({ host: String(value.host), port: Number(value.port) });
  return undefined;
}

function camelCase(flag: string): string {
  return flag.replace(/-+(.)/g, (_, letter: string) => letter.toUpperCase());
}
