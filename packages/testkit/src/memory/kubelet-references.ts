import { arrayAt, isJsonObject, type JsonValue, stringAt, valueAt } from "../sim-api/objects/json.ts";

/** What a container cannot start without, or reads if it is there: a whole object, or one key of it. */
export interface KubeletReference {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Undefined: all keys. */
  readonly key: string | undefined;
  readonly isOptional: boolean;
}

/**
 * What a kubelet looks for before it starts the containers of a pod template. The rules are written a second time on
 * purpose: what the product gets wrong about references must not be wrong here, too.
 */
export function kubeletReferences(template: unknown): readonly KubeletReference[] {
  if (!isJsonObject(template)) return [];
  const containers = ["initContainers", "containers"].flatMap((field) => arrayAt(template, "spec", field));
  return [
    ...containers.flatMap((container) => [
      ...arrayAt(container, "env").flatMap((variable) => [
        ...referenceAt("ConfigMap", valueAt(variable, "valueFrom", "configMapKeyRef")),
        ...referenceAt("Secret", valueAt(variable, "valueFrom", "secretKeyRef")),
      ]),
      ...arrayAt(container, "envFrom").flatMap((from) => [
        ...referenceAt("ConfigMap", valueAt(from, "configMapRef")),
        ...referenceAt("Secret", valueAt(from, "secretRef")),
      ]),
    ]),
    ...arrayAt(template, "spec", "volumes").flatMap((volume) => [
      ...referenceAt("ConfigMap", valueAt(volume, "configMap")),
      ...referenceAt("Secret", valueAt(volume, "secret"), "secretName"),
    ]),
  ];
}

function referenceAt(
  kind: KubeletReference["kind"],
  value: JsonValue | undefined,
  nameField = "name",
): readonly KubeletReference[] {
  const name = stringAt(value, nameField);
  if (name === undefined) return [];
  return [{ kind, name, key: stringAt(value, "key"), isOptional: valueAt(value, "optional") === true }];
}
