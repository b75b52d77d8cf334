import { type AnnotationDialect, defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { type ConfigOf, type GroupedMeta, inGroup } from "../field.ts";
import { annotationKey } from "../types.ts";

const { ConfigMap, Secret } = defaultDialect.kinds;

/** The keys of the annotations, for manifests that were written for a peer with other keys. */
export const annotationFields = inGroup("Names of annotations", {
  configMapAnnotation: keyField(
    "configmap-annotation",
    ConfigMap.named,
    "On the workload: names or patterns of the ConfigMaps that roll it.",
  ),
  secretAnnotation: keyField(
    "secret-annotation",
    Secret.named,
    "On the workload: names or patterns of the Secrets that roll it.",
  ),
  autoAnnotation: keyField(
    "auto-annotation",
    defaultDialect.auto,
    "On the workload: everything it references rolls it.",
  ),
  configMapAutoAnnotation: keyField(
    "configmap-auto-annotation",
    ConfigMap.auto,
    "On the workload: every ConfigMap it references rolls it.",
  ),
  secretAutoAnnotation: keyField(
    "secret-auto-annotation",
    Secret.auto,
    "On the workload: every Secret it references rolls it.",
  ),
  ignoreAnnotation: keyField(
    "ignore-annotation",
    defaultDialect.ignore,
    "On the ConfigMap or Secret: it never rolls anything.",
  ),
  searchAnnotation: keyField(
    "auto-search-annotation",
    defaultDialect.search,
    "On the workload: each source that it references and that has the match annotation rolls it.",
  ),
  matchAnnotation: keyField(
    "search-match-annotation",
    defaultDialect.match,
    "On the ConfigMap or Secret: it rolls workloads that have the search annotation and reference it.",
  ),
  pausePeriodAnnotation: keyField(
    "pause-deployment-annotation",
    defaultDialect.pausePeriod,
    "On a Deployment: how long it stays paused after a roll.",
  ),
  pausedAtAnnotation: keyField(
    "pause-deployment-time-annotation",
    defaultDialect.pausedAt,
    "On a Deployment, written by us: the time at which it was paused.",
  ),
});

/** The configured keys of annotations. Keys without a flag in the peer keep their default. */
export function dialectOf(config: ConfigOf<typeof annotationFields>): AnnotationDialect {
  return {
    auto: config.autoAnnotation,
    search: config.searchAnnotation,
    match: config.matchAnnotation,
    ignore: config.ignoreAnnotation,
    pausePeriod: config.pausePeriodAnnotation,
    pausedAt: config.pausedAtAnnotation,
    kinds: {
      ...defaultDialect.kinds,
      ConfigMap: { ...ConfigMap, named: config.configMapAnnotation, auto: config.configMapAutoAnnotation },
      Secret: { ...Secret, named: config.secretAnnotation, auto: config.secretAutoAnnotation },
    },
  };
}

function keyField(flag: string, defaultKey: string, description: string) {
  const meta: GroupedMeta = {
    flag,
    peer: `--${flag}`,
    placeholder: "KEY",
    description,
  };
  return { schema: annotationKey(defaultKey), meta };
}
