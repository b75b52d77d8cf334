import type { ApiKind } from "@fleet-reloader/testkit/api-client";
import type { Deeds } from "../../deeds.ts";
import { auto, at as field, reads } from "../../site.ts";

/** Flags with which all kinds below are served. */
export const allKinds = [
  "--is-Argo-Rollouts=true",
  "--workload-kinds=serving.knative.dev/v1/Service=spec.template",
];

type SourceKind = "ConfigMap" | "Secret";
export type Source = readonly [SourceKind, string];

/** A workload of some kind, and what counts as one action on it. */
export interface Subject {
  readonly name: string;
  readonly kind: ApiKind;
  readonly objects: (sources: readonly Source[]) => readonly (readonly [ApiKind, object])[];
  readonly actions: (deeds: Deeds, name?: string) => Promise<number>;
}

const never = "0 0 30 2 *";
const labels = { app: "it" };
const template = (sources: readonly Source[]) => ({ metadata: { labels }, spec: reads(...sources) });
const podsThatEnd = (sources: readonly Source[]) => ({
  spec: { restartPolicy: "Never", ...reads(...sources) },
});
const named = (metadata: object, spec: object) => ({ metadata: { name: "it", ...metadata }, spec });
const opted = (spec: object, annotations: object = {}) =>
  named({ annotations: { ...auto, ...annotations } }, spec);

export const cronJob = (sources: readonly Source[], more: object = {}) =>
  opted({ schedule: never, jobTemplate: { spec: { template: podsThatEnd(sources) } }, ...more });
export const job = (sources: readonly Source[], more: object = {}) =>
  opted({ template: podsThatEnd(sources), ...more });
const strategyKey = "reloader.stakater.com/rollout-strategy";
const referring = { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "it" } };
const referred = (sources: readonly Source[]) =>
  named({}, { replicas: 0, selector: { matchLabels: labels }, template: template(sources) });

export function rolledByTemplate(kind: ApiKind): Subject {
  return {
    name: kind,
    kind,
    objects: (sources) => [[kind, opted({ template: template(sources) })]],
    actions: (deeds, name = "it") => deeds.templates(kind, name),
  };
}

export const cronJobs: Subject = {
  name: "CronJob",
  kind: "CronJob",
  objects: (sources) => [["CronJob", cronJob(sources)]],
  actions: (deeds, name = "it") => deeds.runs(name),
};
export const jobs: Subject = {
  name: "Job",
  kind: "Job",
  objects: (sources) => [["Job", job(sources)]],
  actions: (deeds, name = "it") => deeds.remakes(name),
};
export const suspendedCronJobs: Subject = {
  ...cronJobs,
  objects: (sources) => [["CronJob", cronJob(sources, { suspend: true })]],
};
export const suspendedJobs: Subject = {
  ...jobs,
  objects: (sources) => [["Job", job(sources, { suspend: true })]],
};
export const finishedJobs: Subject = {
  ...jobs,
  objects: (sources) => [["Job", job(sources, { completions: 0 })]],
};
export const restarted: Subject = {
  name: "Rollout that is restarted",
  kind: "Rollout",
  objects: (sources) => [["Rollout", opted({ template: template(sources) }, { [strategyKey]: "restart" })]],
  actions: (deeds, name = "it") => deeds.restarts("Rollout", name),
};
export const subjects: readonly Subject[] = [
  cronJobs,
  jobs,
  restarted,
  rolledByTemplate("Rollout"),
  rolledByTemplate("DeploymentConfig"),
  rolledByTemplate("KnativeService"),
  {
    name: "Rollout that refers to a Deployment",
    kind: "Rollout",
    objects: (sources) => [
      ["Deployment", referred(sources)],
      ["Rollout", opted(referring)],
    ],
    actions: (deeds, name = "it") => deeds.templates("Deployment", name),
  },
  {
    name: "Rollout that refers to a Deployment and is restarted",
    kind: "Rollout",
    objects: (sources) => [
      ["Deployment", referred(sources)],
      ["Rollout", opted(referring, { [strategyKey]: "restart" })],
    ],
    actions: (deeds, name = "it") => deeds.restarts("Rollout", name),
  },
];

/** The same with these annotations beside its own. */
export function annotated(subject: Subject, annotations: Readonly<Record<string, string>>): Subject {
  const withAnnotations = (object: object) => {
    const metadata = Object(field(object, "metadata"));
    const all = { ...Object(metadata.annotations), ...annotations };
    return { ...object, metadata: { ...metadata, annotations: all } };
  };
  return {
    ...subject,
    objects: (sources) =>
      subject
        .objects(sources)
        .map(([kind, object]) => [kind, kind === subject.kind ? withAnnotations(object) : object] as const),
  };
}

/** The same under another name. Labels and references name it, too. */
export function copyOf(subject: Subject, name: string): Subject {
  const renamed = (object: object): object =>
    JSON.parse(JSON.stringify(object).replaceAll('"it"', JSON.stringify(name)));
  return {
    name: `${subject.name} ${name}`,
    kind: subject.kind,
    objects: (sources) => subject.objects(sources).map(([kind, object]) => [kind, renamed(object)] as const),
    actions: (deeds) => subject.actions(deeds, name),
  };
}

/** Those whose changes have scenarios of their own; here for what comes and goes. */
export const appsKinds: readonly Subject[] = (["Deployment", "StatefulSet", "DaemonSet"] as const).map(
  (kind) => ({
    ...rolledByTemplate(kind),
    objects: (sources) => [[kind, opted({ selector: { matchLabels: labels }, template: template(sources) })]],
  }),
);
