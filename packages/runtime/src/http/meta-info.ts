import process from "node:process";
import type { ConfigShape } from "../config/field.ts";
import { version } from "../process/version.ts";
import { addressText } from "./socket-address.ts";

/** Fields whose name in the peer's JSON is another than that of our field (compat 4.5). */
const peerNames: Readonly<Record<string, string>> = {
  "configmap-annotation": "configmapUpdateOnChangeAnnotation",
  "secret-annotation": "secretUpdateOnChangeAnnotation",
  "auto-annotation": "reloaderAutoAnnotation",
  "configmap-auto-annotation": "configmapReloaderAutoAnnotation",
  "secret-auto-annotation": "secretReloaderAutoAnnotation",
  "ignore-annotation": "ignoreResourceAnnotation",
  "enable-ha": "enableHA",
  "enable-pprof": "enablePProf",
  "pprof-addr": "pprofAddr",
  "ignored-workload-types": "workloadTypesToIgnore",
  "namespace-selector": "namespaceSelectors",
  "resource-label-selector": "resourceSelectors",
};

/** A time that readers of the peer's JSON can parse, and that means "unknown". */
const noTime = "0001-01-01T00:00:00Z";

/** The self-description of an installation: three keys with JSON, as the peer's tools read them. No secrets. */
export function metaInfoOf(
  shape: ConfigShape,
  config: Readonly<Record<string, unknown>>,
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
    reloaderOptions: JSON.stringify(optionsOf(shape, config)),
    deploymentInfo: JSON.stringify({ ...deployment, creationTimestamp: null }),
  };
}

function optionsOf(shape: ConfigShape, config: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([field, { meta }]) => {
      const value = shownSetting(config[field]);
      if (meta.isSecret === true || value === undefined) return [];
      return [[peerNames[meta.flag] ?? camelCase(meta.flag), value] as const];
    }),
  );
}

/** What fits into the peer's JSON, whose fields are texts, truths and lists of texts. */
function shownSetting(value: unknown): string | boolean | number | readonly string[] | undefined {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  if (typeof value === "object" && value !== null && "host" in value && "port" in value)
    return addressText({ host: String(value.host), port: Number(value.port) });
  return undefined;
}

function camelCase(flag: string): string {
  return flag.replace(/-+(.)/g, (_, letter: string) => letter.toUpperCase());
}
