import type { ReloadMode } from "../decision/judge.ts";
import { collectReferences } from "../reference/collect.ts";
import { type ObjectUse, objectsInEnv, objectsInVolume } from "../reference/object-use.ts";
import { type SourceRef, sourceKey } from "../source/source.ts";
import type { Container, PodTemplate } from "../workload/pod-template.ts";

/**
 * The one container that carries the variable of a source, by the peer's rule (compat section 2). Another choice would change the template of
 * every workload that the peer has touched before.
 *
 * These are tried in order: the container that mounts the first volume with the source; the first container if only an init container mounts it;
 * the container with a variable from the source; the first container if only an init container has one; in named mode, the first container. Last
 * come uses that the peer does not see (a volume that nothing mounts, a second volume, an ephemeral container): the first container. `undefined`
 * when there is no container, or the chosen one has no name and so cannot be addressed.
 */
export function targetContainer(
  template: PodTemplate,
  source: SourceRef,
  mode: ReloadMode,
): string | undefined {
  const target = usingContainer(template, source, mode);
  return target === undefined || target.name === "" ? undefined : target.name;
}

function usingContainer(template: PodTemplate, source: SourceRef, mode: ReloadMode): Container | undefined {
  const { containers, initContainers } = template.spec;
  const isSource = ({ kind, name }: ObjectUse) => kind === source.kind && name === source.name;
  const volume = template.spec.volumes.find((each) => objectsInVolume(each).some(isSource));
  const isMounting = ({ volumeMounts }: Container) => volumeMounts.some(({ name }) => name === volume?.name);
  const isReadingEnv = (container: Container) => objectsInEnv(container).some(isSource);

  for (const isUsing of [isMounting, isReadingEnv]) {
    const using = containers.find(isUsing);
    if (using !== undefined) return using;
    if (initContainers.some(isUsing)) return containers[0];
  }
  return mode === "named" || isReferenced(template, source) ? containers[0] : undefined;
}

function isReferenced(template: PodTemplate, source: SourceRef): boolean {
  const key = sourceKey(source);
  return collectReferences(template, source.namespace).some(
    (reference) => sourceKey(reference.source) === key,
  );
}
