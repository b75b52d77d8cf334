import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import {
  debounceAnnotation,
  maxWaitAnnotation,
  strategyAnnotation,
} from "@fleet-reloader/domain/annotation/own-keys";
import { freezeAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { rolloutStrategyAnnotation } from "@fleet-reloader/domain/kind/rollout";
import type { SourceKind } from "@fleet-reloader/domain/source/source";

/** An object of a manifest, as far as it shows an annotation. */
interface ExampleObject {
  readonly kind: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** One annotation as people who write manifests need it. */
export interface GuidedAnnotation {
  readonly key: string;
  /** Stakater Reloader reads the same key. */
  readonly isPeers: boolean;
  /** The purpose of writing it, as an infinitive. */
  readonly wish: string;
  /** The object that it counts on. */
  readonly on: string;
  /** The values that may be written. */
  readonly values: string;
  /** Further facts, in sentences. */
  readonly remark: string;
  readonly example: readonly ExampleObject[];
  /** What the example does: the sources of `guideSources` that roll the workload, or a sentence where it decides about none. */
  readonly effect: { readonly rollsFor: readonly string[] } | { readonly says: string };
}

/** Annotations of one purpose: a section of docs/annotations.md. */
export interface GuideSection {
  readonly title: string;
  readonly annotations: readonly GuidedAnnotation[];
}

/** The sources of the examples: the pod template of the Deployment `api` uses the first three, and not the others. */
export const guideSources = [
  ...["ConfigMap/settings", "Secret/db", "SecretProviderClass/vault"],
  ...["ConfigMap/feature-a", "ConfigMap/feature-b", "Secret/mail"],
] as const;

const { kinds } = defaultDialect;
const csi = "Secret provider classes count with the flag `--enable-csi-integration`.";
const eitherPlace = "the workload, or its pod template";
const onWorkload = "the workload";
const onSource = "the ConfigMap, Secret or SecretProviderClass";
const trueOrFalse = '`"true"` or `"false"`';
const exactlyTrue = 'exactly `"true"`';
const namesOrPatterns = "names and regular expressions (RE2), separated by commas";
const durationExample = "a duration such as `30s`, `1m30s` or `0`";

const exampleDeployment = (annotations: Readonly<Record<string, string>>): ExampleObject => ({
  kind: "Deployment",
  name: "api",
  annotations,
});
const auto = { [defaultDialect.auto]: "true" };

function excluding(kind: SourceKind, name: string, rollsFor: readonly string[]): GuidedAnnotation {
  const { exclude } = kinds[kind];
  return {
    key: exclude,
    isPeers: true,
    wish: `never roll this workload for these ${kind}${kind.endsWith("s") ? "es" : "s"}`,
    on: onWorkload,
    values: "exact names, separated by commas; patterns do not count",
    remark: "It overrides every other annotation of the workload.",
    example: [exampleDeployment({ ...auto, [exclude]: name })],
    effect: { rollsFor },
  };
}

/** Every annotation that people write, by what they want. The page docs/annotations.md is made from it. */
export const annotationGuide: readonly GuideSection[] = [
  {
    title: "Roll for what the pods use",
    annotations: [
      {
        key: defaultDialect.auto,
        isPeers: true,
        wish: "roll for every source that the pod template uses",
        on: eitherPlace,
        values: trueOrFalse,
        remark: `A source that is added to the pod template later counts too. ${csi}`,
        example: [exampleDeployment(auto)],
        effect: { rollsFor: ["ConfigMap/settings", "Secret/db", "SecretProviderClass/vault"] },
      },
      {
        key: kinds.ConfigMap.auto,
        isPeers: true,
        wish: "roll for every ConfigMap that the pod template uses",
        on: eitherPlace,
        values: trueOrFalse,
        remark: "",
        example: [exampleDeployment({ [kinds.ConfigMap.auto]: "true" })],
        effect: { rollsFor: ["ConfigMap/settings"] },
      },
      {
        key: kinds.Secret.auto,
        isPeers: true,
        wish: "roll for every Secret that the pod template uses",
        on: eitherPlace,
        values: trueOrFalse,
        remark: "",
        example: [exampleDeployment({ [kinds.Secret.auto]: "true" })],
        effect: { rollsFor: ["Secret/db"] },
      },
      {
        key: kinds.SecretProviderClass.auto,
        isPeers: true,
        wish: "roll for every SecretProviderClass that the pod template uses",
        on: eitherPlace,
        values: trueOrFalse,
        remark: csi,
        example: [exampleDeployment({ [kinds.SecretProviderClass.auto]: "true" })],
        effect: { rollsFor: ["SecretProviderClass/vault"] },
      },
    ],
  },
  {
    title: "Roll for sources by name",
    annotations: [
      {
        key: kinds.ConfigMap.named,
        isPeers: true,
        wish: "roll for ConfigMaps by name or pattern, also where the pod template does not use them",
        on: eitherPlace,
        values: namesOrPatterns,
        remark:
          "A pattern has to match the whole name. It is no glob: write `feature-.*`, not `feature-*`. Put alternatives in parentheses: `(a|b)`.",
        example: [exampleDeployment({ [kinds.ConfigMap.named]: "settings,feature-.*" })],
        effect: { rollsFor: ["ConfigMap/settings", "ConfigMap/feature-a", "ConfigMap/feature-b"] },
      },
      {
        key: kinds.Secret.named,
        isPeers: true,
        wish: "roll for Secrets by name or pattern, also where the pod template does not use them",
        on: eitherPlace,
        values: namesOrPatterns,
        remark: "Write the name of the Secret, not that of the volume that shows it.",
        example: [exampleDeployment({ [kinds.Secret.named]: "db,mail" })],
        effect: { rollsFor: ["Secret/db", "Secret/mail"] },
      },
      {
        key: kinds.SecretProviderClass.named,
        isPeers: true,
        wish: "roll for SecretProviderClasses by name or pattern",
        on: eitherPlace,
        values: namesOrPatterns,
        remark: csi,
        example: [exampleDeployment({ [kinds.SecretProviderClass.named]: "vault" })],
        effect: { rollsFor: ["SecretProviderClass/vault"] },
      },
    ],
  },
  {
    title: "Let the source decide",
    annotations: [
      {
        key: defaultDialect.search,
        isPeers: true,
        wish: "roll for the sources that the pod template uses and that carry `match`",
        on: eitherPlace,
        values: exactlyTrue,
        remark: "",
        example: [
          exampleDeployment({ [defaultDialect.search]: "true" }),
          { kind: "Secret", name: "db", annotations: { [defaultDialect.match]: "true" } },
        ],
        effect: { rollsFor: ["Secret/db"] },
      },
      {
        key: defaultDialect.match,
        isPeers: true,
        wish: "roll the workloads that use this source and carry `search`",
        on: onSource,
        values: exactlyTrue,
        remark: "",
        example: [
          { kind: "ConfigMap", name: "settings", annotations: { [defaultDialect.match]: "true" } },
          exampleDeployment({ [defaultDialect.search]: "true" }),
        ],
        effect: { rollsFor: ["ConfigMap/settings"] },
      },
    ],
  },
  {
    title: "Never roll for a source",
    annotations: [
      excluding("ConfigMap", "settings", ["Secret/db", "SecretProviderClass/vault"]),
      excluding("Secret", "db", ["ConfigMap/settings", "SecretProviderClass/vault"]),
      excluding("SecretProviderClass", "vault", ["ConfigMap/settings", "Secret/db"]),
      {
        key: defaultDialect.ignore,
        isPeers: true,
        wish: "never roll any workload for this source",
        on: onSource,
        values: exactlyTrue,
        remark: "It has no effect on a workload.",
        example: [
          { kind: "Secret", name: "db", annotations: { [defaultDialect.ignore]: "true" } },
          exampleDeployment(auto),
        ],
        effect: { rollsFor: ["ConfigMap/settings", "SecretProviderClass/vault"] },
      },
    ],
  },
  {
    title: "Roll later, or less often",
    annotations: [
      {
        key: debounceAnnotation,
        isPeers: false,
        wish: "gather changes: roll when no source has changed for this time",
        on: onWorkload,
        values: durationExample,
        remark:
          "Without it the flag `--debounce` counts, 2 s by default. `0` rolls at once. No change waits longer than `max-wait`, which is 30 s by default; to wait for more quiet, write both.",
        example: [exampleDeployment({ ...auto, [debounceAnnotation]: "10s" })],
        effect: {
          says: "It rolls after 10 s without a change, and 30 s after the first change at the latest.",
        },
      },
      {
        key: maxWaitAnnotation,
        isPeers: false,
        wish: "limit the time that a change waits for others",
        on: onWorkload,
        values: durationExample,
        remark:
          "Without it the flag `--max-wait` counts, 30 s by default. A time below that of the debounce counts as the debounce.",
        example: [exampleDeployment({ ...auto, [debounceAnnotation]: "30s", [maxWaitAnnotation]: "5m" })],
        effect: {
          says: "It rolls after 30 s without a change, and 5 min after the first change at the latest.",
        },
      },
      {
        key: defaultDialect.pausePeriod,
        isPeers: true,
        wish: "pause a Deployment with its first change, and roll out once after this time",
        on: "a Deployment",
        values: "a duration such as `30s` or `1m30s`",
        remark: "A pause that a person began is left to that person.",
        example: [exampleDeployment({ ...auto, [defaultDialect.pausePeriod]: "5m" })],
        effect: {
          says: "The Deployment is paused for 5 min with its first change. All changes in between cost one rollout.",
        },
      },
    ],
  },
  {
    title: "Hold rolls",
    annotations: [
      {
        key: freezeAnnotation,
        isPeers: false,
        wish: "hold every roll of this workload, or every roll that this source causes",
        on: `${onWorkload}, or ${onSource}`,
        values: "the reason, as any text but `false`",
        remark: "Take it away, and the newest content is rolled.",
        example: [exampleDeployment({ ...auto, [freezeAnnotation]: "until the audit" })],
        effect: { says: "Nothing rolls it. The reason that people see is: until the audit." },
      },
    ],
  },
  {
    title: "Choose how a roll is written",
    annotations: [
      {
        key: strategyAnnotation,
        isPeers: false,
        wish: "choose what a roll writes on the pod template",
        on: onWorkload,
        values: "`annotations` or `env-vars`",
        remark: "Without it the flag `--reload-strategy` counts, `annotations` by default.",
        example: [exampleDeployment({ ...auto, [strategyAnnotation]: "env-vars" })],
        effect: { says: "A roll writes a variable in one container." },
      },
      {
        key: rolloutStrategyAnnotation,
        isPeers: true,
        wish: "restart an Argo Rollout instead of changing its template",
        on: "an Argo Rollout",
        values: "`rollout` or `restart`",
        remark:
          "Without it the template is changed. Argo Rollouts are served with `--is-Argo-Rollouts=true`.",
        example: [
          { kind: "Rollout", name: "api", annotations: { ...auto, [rolloutStrategyAnnotation]: "restart" } },
        ],
        effect: { says: "A change restarts the pods, without a new revision." },
      },
    ],
  },
];
