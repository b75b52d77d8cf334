/** Identity of a thing whose pods are restarted. `kind` is one of the plugged-in workload kinds. */
export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Deployment/ns/name`. Different workloads have different keys, since no part of one may contain a slash. */
export function workloadKey(ref: WorkloadRef): string {
  return `${ref.kind}/${ref.namespace}/${ref.name}`;
}

/** The workload that a key names, or `undefined` when the text is not a key: the exact inverse of `workloadKey`. */
export function parseWorkloadKey(text: string): WorkloadRef | undefined {
  const [kind, namespace, name, ...rest] = text.split("/");
  if (!kind || !namespace || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}

/**
 * Annotations of any object. People choose the keys, so `constructor` and `__proto__` may occur. Read them through `annotationValue`, and build
 * them with `Object.fromEntries` or a spread, which make own properties of all keys.
 */
export type Annotations = Readonly<Record<string, string>>;

/** The object's own value under a key; never one inherited from a prototype. */
export function annotationValue(annotations: Annotations, key: string): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}
