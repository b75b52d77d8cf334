import type { BenchServer } from "../server/bench-server.ts";
import { optInOf } from "../tool/tool.ts";
import { configMap, deployment, helmSecret } from "./objects.ts";
import { createNamespaces, createObjects, numbered } from "./populate.ts";

/** One in this many ConfigMaps is used by a Deployment that opts in, to either tool: they run one after the other. */
const usedEvery = 20;
const usedMax = 500;
const helmBytes = 500 * 1024;
const namespace = "crowd";
const helmNamespace = "helm";

/** A cluster with many ConfigMaps of one size, a few of them in use. It can only grow. */
export interface Crowd {
  readonly namespace: string;
  readonly objects: number;
  readonly bytes: number;
  /** Names of the ConfigMaps in use; each Deployment is called as its ConfigMap. */
  readonly used: readonly string[];
}

export async function createCrowd(server: BenchServer, bytes: number, helmReleases: number): Promise<Crowd> {
  await createNamespaces(server, [namespace, helmNamespace]);
  const releases = numbered("sh.helm.release.v1.app", helmReleases);
  await createObjects(server, "Secret", helmNamespace, releases, (name) => helmSecret(name, helmBytes));
  return { namespace, objects: 0, bytes, used: [] };
}

export async function growCrowd(
  server: BenchServer,
  crowd: Crowd,
  objects: number,
  most = usedMax,
): Promise<Crowd> {
  const names = numbered("cm", objects - crowd.objects, crowd.objects);
  await createObjects(server, "ConfigMap", namespace, names, (name) => configMap(name, crowd.bytes));
  const used = names.filter((_, at) => at % usedEvery === 0).slice(0, Math.max(0, most - crowd.used.length));
  const annotations = { [optInOf.ours]: "true", [optInOf["peer model"]]: "true" };
  await createObjects(server, "Deployment", namespace, used, (name) =>
    deployment({ name, configMaps: [name], annotations }),
  );
  return { ...crowd, objects, used: [...crowd.used, ...used] };
}
