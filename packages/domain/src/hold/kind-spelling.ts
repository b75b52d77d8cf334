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

/** Every spelling of a kind of workload without its group. */
export const workloadSpellings: readonly string[] = workloadKinds.flatMap(spellingsOf);
/** Every spelling of a kind of source without its group. */
export const sourceSpellings: readonly string[] = sourceKinds.flatMap(spellingsOf);

/**
 * The kind of workload that a text names, read as kubectl does: `Deployment`, `deployments`, `deploy`, `deployments.apps`,
 * `deployments.v1.apps`, in any case. A declared kind has the name that it has here, `Service.serving.knative.dev`. Undefined: no kind.
 */
export function workloadKindOf(text: string): string | undefined {
  const known = findKind(workloadKinds, text);
  if (known !== undefined) return known.kind;
  const [, group = ""] = /^[A-Z][A-Za-z0-9]*\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/.exec(text) ?? [];
  // The text names one of our groups with a kind that the group does not have.
  return group === "" || workloadKinds.some((each) => each.group === group) ? undefined : text;
}

/** The kind of source that a text names; undefined: no kind. */
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
