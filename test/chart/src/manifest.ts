import { parseAllDocuments } from "yaml";

/** A Kubernetes object as somebody wrote it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The objects of a YAML stream; throws when one of its documents is no object. */
export function parseManifests(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text, { version: "1.1" });
  if ("empty" in documents) return [];
  return documents.flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS();
    if (value === null) return [];
    if (!isManifest(value)) throw new Error(`no Kubernetes object: ${JSON.stringify(value).slice(0, 200)}`);
    return [value];
  });
}

function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "apiVersion" in value &&
    "kind" in value &&
    "metadata" in value &&
    typeof value.metadata === "object"
  );
}

/** One field deep in an object; undefined where the way ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === "object" && current !== null
        ? Object.entries(current).find(([name]) => name === String(key))?.[1]
        : undefined,
    value,
  );
}

/** The one object of this kind (and name); throws when there is none. */
export function the(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = objects.find(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  if (found === undefined)
    throw new Error(`no ${kind} ${name ?? ""} among ${objects.map((object) => object.kind).join(", ")}`);
  return found;
}
