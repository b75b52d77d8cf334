import type { ApiQuery } from "@fleet-reloader/contracts/api/api-routes";
import type { Fault } from "@fleet-reloader/domain/fault";
import {
  sourceKindOf,
  sourceSpellings,
  workloadKindOf,
  workloadSpellings,
} from "@fleet-reloader/domain/hold/kind-spelling";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { type ClustersAsked, explainInEach, planInEach } from "@fleet-reloader/engine/ask/ask-each-cluster";
import type { ExplainedVerdict } from "@fleet-reloader/engine/ask/explanation";
import type { AskedCluster } from "@fleet-reloader/engine/ask/plan-source";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { TakePage } from "./fleet-routes.ts";
import { asTheyAre } from "./page.ts";

/** Answers questions about clusters. */
export interface AskedFleet extends Omit<ClustersAsked, "clusters"> {
  /** Sends a question to the cluster with this name or id. Faults with `question.invalid` when it cannot be asked. */
  ask<T>(
    called: string,
    question: (cluster: ConnectedCluster) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

/** A cluster that this process is connected to. */
export interface ConnectedCluster extends AskedCluster {
  /** The namespaces that its registration shows and that the viewer may see; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/** An object named by a path. */
export interface PathObject {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Maximum causes in an answer. Each source says itself whether it is one, so more add nothing. */
const causesMax = 50;

/** The routes that need a cluster to answer. */
export function createAskedRoutes(asked: AskedFleet) {
  const { explain, plan, settings } = asked;
  return {
    async workload(object: PathObject, take: TakePage, signal: AbortSignal) {
      const { namespace, name } = object;
      const kind = workloadKindOf(object.kind);
      if (kind === undefined) throw unknownKind(object.kind, "workload", workloadSpellings);
      const workload = { kind, namespace, name };
      const each = await asked.ask(
        object.cluster,
        (cluster) =>
          explainInEach(
            workload,
            { clusters: [shownCluster(cluster, namespace)], explain, settings },
            signal,
          ),
        signal,
      );
      if ("missing" in each) throw missing(name, each.missing);
      const [explanation] = each.answers;
      if (explanation === undefined) throw missing(name, "no cluster was asked");
      const { count, elements, next } = await take({
        all: explanation.sources,
        keyOf: ({ source }) => [sourceKey(source)],
        write: asTheyAre,
      });
      const { verdict } = explanation;
      return { ...explanation, verdict: withFewCauses(verdict), sources: elements, count, next };
    },

    async source(object: PathObject, { key = [] }: ApiQuery<"source">, take: TakePage, signal: AbortSignal) {
      const { namespace, name } = object;
      const kind = sourceKindOf(object.kind);
      if (kind === undefined) throw unknownKind(object.kind, "source", sourceSpellings);
      const keys = key.length === 0 ? ("all" as const) : key;
      const question = { source: { kind, namespace, name }, keys };
      const each = await asked.ask(
        object.cluster,
        (cluster) => planInEach(question, { clusters: [shownCluster(cluster, namespace)], plan }, signal),
        signal,
      );
      if ("missing" in each) throw missing(name, each.missing);
      const [sourcePlan] = each.answers;
      if (sourcePlan === undefined) throw missing(name, "no cluster was asked");
      const { count, elements, next } = await take({
        all: sourcePlan.users,
        keyOf: ({ workload }) => [workloadKey(workload)],
        write: (users) => users.map((user) => ({ ...user, verdict: withFewCauses(user.verdict) })),
      });
      return { ...sourcePlan, users: elements, count, next };
    },
  };
}

function withFewCauses(verdict: ExplainedVerdict): ExplainedVerdict {
  if (verdict.type !== "roll" && verdict.type !== "held") return verdict;
  return { ...verdict, causes: verdict.causes.slice(0, causesMax) };
}

/** The fault of a question about a cluster that the process is not connected to. */
export function notConnected(called: string): Fault {
  return refusedQuestion({
    field: "cluster",
    value: called,
    problem: `cluster ${called.slice(0, 253)}: none is connected that is called so, or several are`,
    mend: "/api/v1/clusters lists the names and what is wrong with each",
  });
}

/** The cluster, if its registration shows the namespace. */
function shownCluster(cluster: ConnectedCluster, namespace: string): AskedCluster {
  const { namespaces } = cluster;
  if (namespaces === undefined || namespaces.includes(namespace)) return cluster;
  const refused = { field: "namespace", value: namespace };
  const registration = "namespace: the registration of the cluster";
  if (namespaces.length === 0)
    throw refusedQuestion({
      ...refused,
      problem: `${registration} does not show this namespace`,
      mend: "ask whoever registers the cluster to show it",
    });
  throw refusedQuestion({
    ...refused,
    problem: `${registration} shows only ${namespaces.join(", ")}`,
    mend: "ask about one of these",
  });
}

function unknownKind(kind: string, what: "workload" | "source", known: readonly string[]) {
  const near = nearestName(kind, known);
  return refusedQuestion({
    field: "kind",
    value: kind,
    problem: `kind: no kind of ${what} is called so`,
    mend: near === undefined ? `known are ${known.join(", ")}` : `did you mean ${near}?`,
  });
}

/** The sentence has the form `what is wrong; what was probably meant`. */
function missing(name: string, sentence: string) {
  const [problem = "", ...mend] = sentence.split("; ");
  return refusedQuestion({ field: "name", value: name, problem: `name: ${problem}`, mend: mend.join("; ") });
}
