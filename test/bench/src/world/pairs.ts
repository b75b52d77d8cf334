import type { Pair } from "../observer/methods.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { optInOf, type ToolName } from "../tool/tool.ts";
import { configMap, deployment } from "./objects.ts";
import { createObjects, numbered } from "./populate.ts";

const defaultBytes = 1024;

/** Deployments that opt in to one tool, each with ConfigMaps of its own: the n-th with all ConfigMaps called after it. */
export async function createPairs(
  server: BenchServer,
  wish: {
    readonly namespace: string;
    readonly count: number;
    readonly optIn: ToolName;
    /** One when absent; several are called `app-000000-a`, `-b`, … */
    readonly configMapsEach?: number;
    readonly bytes?: number;
    readonly replicas?: number;
  },
): Promise<readonly Pair[]> {
  const { namespace, count, optIn, configMapsEach = 1, bytes = defaultBytes, replicas } = wish;
  const names = numbered("app", count);
  const sourcesOf = (name: string) =>
    configMapsEach === 1
      ? [name]
      : Array.from({ length: configMapsEach }, (_, at) => `${name}-${"abcdefghij"[at]}`);
  await createObjects(server, "ConfigMap", namespace, names.flatMap(sourcesOf), (name) =>
    configMap(name, bytes),
  );
  const annotations = { [optInOf[optIn]]: "true" };
  await createObjects(server, "Deployment", namespace, names, (name) =>
    deployment({
      name,
      configMaps: sourcesOf(name),
      annotations,
      ...(replicas === undefined ? {} : { replicas }),
    }),
  );
  return names.flatMap((name) =>
    sourcesOf(name).map((source) => ({ namespace, configMap: source, deployment: name })),
  );
}
