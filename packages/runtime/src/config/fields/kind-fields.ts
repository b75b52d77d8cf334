import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { parseDeclaredKind } from "@fleet-reloader/domain/kind/declared";
import { job } from "@fleet-reloader/domain/kind/job";
import { defaultKinds, knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { rollout } from "@fleet-reloader/domain/kind/rollout";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { type ConfigOf, inGroup } from "../field.ts";
import { boolean, csvList, textValue } from "../types.ts";

/** The kinds that the peer's flag can exclude, by its names. */
const ignorableTypes: ReadonlyMap<string, WorkloadKind> = new Map([
  ["jobs", job],
  ["cronjobs", cronJob],
]);

const servedKindFields = inGroup("What is served", {
  ignoredWorkloadTypes: {
    schema: csvList().transform((names, context) =>
      names.flatMap((name) => {
        const kind = ignorableTypes.get(name);
        if (kind !== undefined) return kind;
        context.addIssue({
          code: "custom",
          message: `"${name}" cannot be ignored; write jobs, cronjobs or both`,
        });
        return [];
      }),
    ),
    meta: {
      flag: "ignored-workload-types",
      peer: "--ignored-workload-types",
      placeholder: "TYPE",
      description: "Kinds to exclude: jobs, cronjobs.",
      defaultText: "none",
      isList: true,
    },
  },
  isArgoRollouts: {
    // As with the peer, only this exact text enables it.
    schema: textValue("false").transform((value) => value === "true"),
    meta: {
      flag: "is-Argo-Rollouts",
      aliases: ["is-argo-rollouts"],
      peer: "--is-Argo-Rollouts",
      placeholder: "BOOL",
      description: "Serve Argo Rollouts too. Only the exact text true counts.",
      remark: (value) =>
        value === "true" || value === "false"
          ? undefined
          : "is not the exact text true and counts as false; write true or false",
    },
  },
  workloadKinds: {
    schema: csvList().transform((declared, context) =>
      declaredKinds(declared, (message) => context.addIssue({ code: "custom", message })),
    ),
    meta: {
      flag: "workload-kinds",
      placeholder: "KIND",
      description:
        "Further kinds to serve, as group/version/Kind[:plural]=path.to.template, for example serving.knative.dev/v1/Service=spec.template.",
      defaultText: "none",
      isList: true,
    },
  },
});

const jobFields = inGroup("When and how a workload rolls", {
  reloadSuspended: {
    schema: boolean(false),
    meta: {
      flag: "reload-suspended",
      placeholder: "BOOL",
      description: "A change also runs suspended CronJobs and recreates suspended Jobs.",
      isSwitch: true,
    },
  },
  reloadFinished: {
    schema: boolean(false),
    meta: {
      flag: "reload-finished",
      placeholder: "BOOL",
      description: "A change also runs completed and failed Jobs again.",
      isSwitch: true,
    },
  },
  reloadConcurrent: {
    schema: boolean(false),
    meta: {
      flag: "reload-concurrent",
      placeholder: "BOOL",
      description:
        "A change also runs a CronJob with the concurrencyPolicy Forbid while one of its Jobs has not ended.",
      isSwitch: true,
    },
  },
});

/** Which kinds of workloads are served, and which of their objects are ignored. */
export const kindFields = { ...servedKindFields, ...jobFields } as const;

/** The kinds that are served, as configured. */
export function servedKinds(config: ConfigOf<typeof kindFields>): readonly WorkloadKind[] {
  const known = knownKinds.filter(
    (kind) =>
      (defaultKinds.includes(kind) || (kind === rollout && config.isArgoRollouts)) &&
      !config.ignoredWorkloadTypes.includes(kind),
  );
  return [...known, ...config.workloadKinds];
}

function isSameApiKind(one: WorkloadKind, other: WorkloadKind): boolean {
  return one.group === other.group && one.apiKind === other.apiKind;
}

function declaredKinds(
  declared: readonly string[],
  refuse: (message: string) => void,
): readonly WorkloadKind[] {
  const kinds: WorkloadKind[] = [];
  for (const one of declared) {
    const kind = parseDeclaredKind(one);
    if ("problem" in kind) {
      refuse(kind.problem);
      continue;
    }
    const known = knownKinds.find((other) => isSameApiKind(kind, other));
    if (known === rollout) refuse(`"${one}": Rollouts are known; write --is-Argo-Rollouts=true`);
    else if (known !== undefined)
      refuse(`"${one}": ${known.kind} is served without being declared; remove it`);
    else if (kinds.some((other) => isSameApiKind(kind, other)))
      refuse(`"${one}": ${kind.apiKind} is declared twice; remove one`);
    else kinds.push(kind);
  }
  return kinds;
}
