import { isJsonObject, jsonField, jsonList, jsonText, jsonTexts } from "../json.ts";
import type { Annotations } from "./workload.ts";

/**
 * The parts of a pod template that we read. The field names are Kubernetes' own. Lists are always there; other missing parts stay missing or are
 * empty. Source: core/v1 PodTemplateSpec.
 */
export interface PodTemplate {
  readonly metadata: { readonly annotations: Annotations };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers: readonly Container[];
    /** The API server refuses these in the templates of today's kinds, but other kinds may have them. */
    readonly ephemeralContainers: readonly Container[];
    readonly volumes: readonly Volume[];
  };
}

/** A container of any of the three lists. */
export interface Container {
  /** Empty if there is none: Knative, for example, names a container itself. */
  readonly name: string;
  readonly env: readonly EnvVariable[];
  readonly envFrom: readonly EnvFrom[];
  readonly volumeMounts: readonly { readonly name: string }[];
}

/** One variable: a literal value, a key of an object, or something that we do not track. */
export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: KeyRef; readonly secretKeyRef?: KeyRef };
}

/** One key of one object in the namespace of the pod. */
export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional: boolean;
}

/** Every key of one object, as variables. */
export interface EnvFrom {
  readonly configMapRef?: ObjectRef;
  readonly secretRef?: ObjectRef;
}

/** One object in the namespace of the pod. */
export interface ObjectRef {
  readonly name: string;
  readonly optional: boolean;
}

/** A volume that shows objects as files. `secret.name` is Kubernetes' `secretName`. */
export interface Volume {
  readonly name: string;
  readonly configMap?: Projection;
  readonly secret?: Projection;
  readonly projected?: { readonly sources: readonly ProjectedSource[] };
  readonly csi?: { readonly secretProviderClass?: string };
}

/** One source of a projected volume. */
export interface ProjectedSource {
  readonly configMap?: Projection;
  readonly secret?: Projection;
}

/** An object shown as files: all its keys, or only the `items`. An empty `items` means all, as it does to kubelet. */
export interface Projection extends ObjectRef {
  readonly items: readonly string[];
}

/** Reads a pod template as the API server sent it. It never throws and never invents: a part of the wrong type is left out, the rest is read. */
export function parsePodTemplate(value: unknown): PodTemplate {
  const spec = jsonField(value, "spec");
  return {
    metadata: { annotations: jsonTexts(value, "metadata", "annotations") },
    spec: {
      containers: parseList(spec, "containers", parseContainer),
      initContainers: parseList(spec, "initContainers", parseContainer),
      ephemeralContainers: parseList(spec, "ephemeralContainers", parseContainer),
      volumes: parseList(spec, "volumes", parseVolume),
    },
  };
}

function parseList<T>(owner: unknown, field: string, parse: (value: unknown) => T | undefined): readonly T[] {
  return jsonList(owner, field)
    .map(parse)
    .filter((item) => item !== undefined);
}

function parseContainer(value: unknown): Container | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    name: jsonText(value, "name") ?? "",
    env: parseList(value, "env", parseEnvVariable),
    envFrom: parseList(value, "envFrom", parseEnvFrom),
    volumeMounts: parseList(value, "volumeMounts", parseVolumeMount),
  };
}

function parseEnvVariable(value: unknown): EnvVariable | undefined {
  const name = jsonText(value, "name");
  if (name === undefined) return undefined;
  const literal = jsonField(value, "value");
  const from = jsonField(value, "valueFrom");
  return {
    name,
    ...(typeof literal === "string" ? { value: literal } : {}),
    ...(isJsonObject(from)
      ? {
          valueFrom: {
            ...definedOnly("configMapKeyRef", parseKeyRef(jsonField(from, "configMapKeyRef"))),
            ...definedOnly("secretKeyRef", parseKeyRef(jsonField(from, "secretKeyRef"))),
          },
        }
      : {}),
  };
}

function parseKeyRef(value: unknown): KeyRef | undefined {
  const object = parseObjectRef(value);
  const key = jsonText(value, "key");
  return object === undefined || key === undefined ? undefined : { ...object, key };
}

function parseEnvFrom(value: unknown): EnvFrom {
  return {
    ...definedOnly("configMapRef", parseObjectRef(jsonField(value, "configMapRef"))),
    ...definedOnly("secretRef", parseObjectRef(jsonField(value, "secretRef"))),
  };
}

function parseVolumeMount(value: unknown): { readonly name: string } | undefined {
  const name = jsonText(value, "name");
  return name === undefined ? undefined : { name };
}

function parseVolume(value: unknown): Volume | undefined {
  const name = jsonText(value, "name");
  if (name === undefined) return undefined;
  const projected = jsonField(value, "projected");
  const csi = jsonField(value, "csi");
  return {
    name,
    ...definedOnly("configMap", parseProjection(jsonField(value, "configMap"), "name")),
    ...definedOnly("secret", parseProjection(jsonField(value, "secret"), "secretName")),
    ...(isJsonObject(projected)
      ? { projected: { sources: parseList(projected, "sources", parseProjectedSource) } }
      : {}),
    ...(isJsonObject(csi) ? { csi: parseCsi(csi) } : {}),
  };
}

function parseProjectedSource(value: unknown): ProjectedSource {
  return {
    ...definedOnly("configMap", parseProjection(jsonField(value, "configMap"), "name")),
    ...definedOnly("secret", parseProjection(jsonField(value, "secret"), "name")),
  };
}

function parseProjection(value: unknown, nameField: "name" | "secretName"): Projection | undefined {
  const object = parseObjectRef(value, nameField);
  if (object === undefined) return undefined;
  return { ...object, items: parseList(value, "items", (item) => jsonText(item, "key")) };
}

function parseCsi(value: unknown): { readonly secretProviderClass?: string } {
  const attributes = jsonField(value, "volumeAttributes");
  return definedOnly("secretProviderClass", jsonText(attributes, "secretProviderClass"));
}

function parseObjectRef(value: unknown, nameField = "name"): ObjectRef | undefined {
  const name = jsonText(value, nameField);
  return name === undefined ? undefined : { name, optional: jsonField(value, "optional") === true };
}

/** An object with this property, or an empty one if the value is undefined: `exactOptionalPropertyTypes` tells them apart. */
function definedOnly<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  const properties: { [P in K]?: V } = {};
  if (value !== undefined) properties[key] = value;
  return properties;
}
