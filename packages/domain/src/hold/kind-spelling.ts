import { knownKinds } from "../kind/known-kinds.ts";
import type { SourceKind } from "../source/source.ts";

/** A kind as kubectl knows it. */
interface Spelled<K extends string> {
  readonly kind: K;
  readonly plural: string;
  readonly group: string;
  readonly shortNames: readonly string[];
}

/** `kubectl api-resources` lists them. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["deploy"],
  StatefulSet: ["sts"],
  DaemonSet: ["ds"],
  CronJob: ["cj"],
  Rollout: ["ro"],
  DeploymentConfig: ["dc"],
};

const workloadKinds: readonly Spelled<string>[] = knownKinds.map(({ kind, plural = "", group }) => ({
  kind,
  plural,
  group,
  shortNames: shortNames[kind] ?? [],
}));

const sourceKinds: readonly Spelled<SourceKind>[] = [
  { kind: "ConfigMap", plural: "configmaps", group: "", shortNames: ["cm"] },
  { kind: "Secret", plural: "secrets", group: "", shortNames: [] },
  {
    kind: "SecretProviderClass",
    plural: "secretproviderclasses",
    group: "secrets-store.csi.x-k8s.io",
    shortNames: ["spc"],
  },
];

/** Every way to say a kind of workload without its group. */
export const workloadSpellings: readonly string[] = workloadKinds.flatMap(spellingsOf);
/** The same of sources. */
export const sourceSpellings: readonly string[] = sourceKinds.flatMap(spellingsOf);

/**
 * The kind of workload that a text means, as kubectl reads it: `Deployment`, `deployments`, `deploy`, `deployments.apps`,
 * `deployments.v1.apps`, in any case. A declared kind is what it is called here, `Service.serving.knative.dev`. Undefined: none.
 */
export function workloadKindOf(text: string): string | undefined {
  const known = findKind(workloadKinds, text);
  if (known !== undefined) return known.kind;
  const [, group = ""] = /^[A-Z][A-Za-z0-9]*\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/.exec(text) ?? [];
  // A group of ours with a kind that it does not have.
  return group === "" || workloadKinds.some((each) => each.group === group) ? undefined : text;
}

/** The kind of source that a text means; undefined: none. */
export function sourceKindOf(text: string): SourceKind | undefined {
  return findKind(sourceKinds, text)?.kind;
}

function findKind<K extends string>(all: readonly Spelled<K>[], text: string): Spelled<K> | undefined {
  const [base = "", ...rest] = text.toLowerCase().split(".");
  const isVersioned = /^v\d+((alpha|beta)\d+)?$/.test(rest[0] ?? "");
  const group = (isVersioned ? rest.slice(1) : rest).join(".");
  return all.find(
    (each) =>
      spellingsOf(each).some((spelling) => spelling.toLowerCase() === base) &&
      (rest.length === 0 || group === each.group),
  );
}

function spellingsOf<K extends string>({ kind, plural, shortNames: short }: Spelled<K>): readonly string[] {
  return [kind, plural, ...short];
}
