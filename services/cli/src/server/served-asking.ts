import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { Fault } from "@fleet-reloader/domain/fault";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { answersOfClusters, type EachAnswer } from "@fleet-reloader/engine/ask/ask-each-cluster";
import { clustersNamedMax, missingCluster } from "@fleet-reloader/wiring/asks/only-cluster";
import { allPages } from "./all-pages.ts";
import type { ApiClient } from "./api-client.ts";

/** Clusters are asked at once up to so many: the server answers four such questions at a time. */
const clustersAskedAtOnce = 4;

/** Explains a workload in each of these clusters, or in the only one of the server. */
export async function explainByServer(
  { kind, namespace, name }: WorkloadRef,
  clusters: readonly string[],
  client: ApiClient,
): Promise<EachAnswer<ApiAnswer<"workload">>> {
  return await askEach(await askedClusters(clusters, client), async (cluster) => {
    const { elements, first } = await allPages({
      ask: (page) =>
        client.ask("workload", {
          path: { cluster, kind, namespace, name },
          query: { limit: page.limit, cursor: page.cursor },
        }),
      elementsOf: ({ sources }) => sources,
    });
    return Object.assign({}, first, { sources: elements });
  });
}

/** Plans a change of a source in each of these clusters, or in the only one of the server. */
export async function planByServer(
  { source, keys }: { readonly source: SourceRef; readonly keys: readonly string[] },
  clusters: readonly string[],
  client: ApiClient,
): Promise<EachAnswer<ApiAnswer<"source">>> {
  const { kind, namespace, name } = source;
  return await askEach(await askedClusters(clusters, client), async (cluster) => {
    const { elements, first } = await allPages({
      ask: (page) =>
        client.ask("source", {
          path: { cluster, kind, namespace, name },
          query: { key: keys, limit: page.limit, cursor: page.cursor },
        }),
      elementsOf: ({ users }) => users,
    });
    return Object.assign({}, first, { users: elements });
  });
}

async function askedClusters(given: readonly string[], client: ApiClient): Promise<readonly string[]> {
  if (given.length > 0) return given;
  const { clusters, count } = await client.ask("clusters", { query: { limit: String(clustersNamedMax) } });
  if (count === 1) return clusters.map(({ name }) => name);
  throw missingCluster(
    "the server",
    clusters.map(({ name }) => name),
    count,
  );
}

/** Leaves out clusters that do not have the object. When no cluster has it, its name was probably misspelt. */
async function askEach<T>(
  clusters: readonly string[],
  ask: (cluster: string) => Promise<T>,
): Promise<EachAnswer<T>> {
  const named = clusters.map((name) => ({ name }));
  const { answers, failed } = await answersOfClusters(named, clustersAskedAtOnce, ({ name }) =>
    orMissing(ask(name)),
  );
  const found = answers.filter((one): one is T => !(one instanceof Fault));
  const [missing] = answers.filter((one) => one instanceof Fault);
  if (found.length > 0 || missing === undefined) return { answers: found, failed };
  return { failed, missing: missing.message.replace(/^name: /, "") };
}

async function orMissing<T>(asked: Promise<T>): Promise<T | Fault> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault && error.context.field === "name") return error;
    throw error;
  }
}
