import { jsonField, jsonList, jsonText } from "@fleet-reloader/domain/json";
import {
  type ObjectUse,
  objectsInEnv,
  objectsInVolume,
  type ReferencedKeys,
} from "@fleet-reloader/domain/reference/object-use";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { PodTemplate } from "@fleet-reloader/domain/workload/pod-template";
import type { ContentReach } from "./source-plan.ts";

/** How a change of these keys of a source reaches the running pods of a template. If there are several ways, the slowest counts. */
export function contentReach(
  template: { readonly parsed: PodTemplate; readonly raw: unknown },
  source: SourceRef,
  keys: ReferencedKeys,
): ContentReach {
  const isOfChange = ({ kind, name, keys: used }: ObjectUse) =>
    kind === source.kind && name === source.name && overlap(used, keys);
  const { containers, initContainers, ephemeralContainers, volumes } = template.parsed.spec;
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  if (all.some((container) => objectsInEnv(container).some(isOfChange))) return "restart";
  const showing = volumes.filter((volume) => objectsInVolume(volume).some(isOfChange));
  if (showing.length === 0) return "none";
  const fixed = subPathVolumes(template.raw);
  return showing.some(({ name }) => fixed.has(name)) ? "restart" : "files";
}

function overlap(used: ReferencedKeys, changed: ReferencedKeys): boolean {
  return used === "all" || changed === "all" || used.some((key) => changed.includes(key));
}

/** Volumes of which a container mounts a single file: Kubernetes never updates such a mount. */
function subPathVolumes(template: unknown): ReadonlySet<string> {
  const spec = jsonField(template, "spec");
  const containers = [...jsonList(spec, "containers"), ...jsonList(spec, "initContainers")];
  const mounts = containers.flatMap((container) => jsonList(container, "volumeMounts"));
  const fixed = mounts.filter(
    (mount) => (jsonText(mount, "subPath") ?? jsonText(mount, "subPathExpr")) !== undefined,
  );
  return new Set(fixed.flatMap((mount) => jsonText(mount, "name") ?? []));
}
