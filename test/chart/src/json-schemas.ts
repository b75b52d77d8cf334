import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { at } from "./manifest.ts";

/**
 * One JSON schema per kind for kubeconform, from what an API server says of itself at /openapi/v2. Strict: a field the kind
 * does not have is an error.
 */
export async function writeSchemas(openApi: unknown, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const definitions = Object.fromEntries(
    Object.entries(at(openApi, "definitions") ?? {}).map(([name, schema]) => [name, strict(name, schema)]),
  );
  const shared = join(folder, "definitions.json");
  await writeFile(shared, JSON.stringify({ definitions }));
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = at(schema, "x-kubernetes-group-version-kind");
    for (const kind of Array.isArray(kinds) ? kinds : []) {
      const [group, version, title] = [at(kind, "group"), at(kind, "version"), at(kind, "kind")].map(String);
      // kubeconform takes what is before the slash of an apiVersion for its group, also where there is none.
      const file = `${title?.toLowerCase()}-${group || version}-${version}.json`;
      await writeFile(join(folder, file), JSON.stringify({ $ref: `file://${shared}#/definitions/${name}` }));
    }
  }
}

/** Where kubeconform finds them. */
export function schemaLocation(folder: string): string {
  return join(folder, "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json");
}

function strict(name: string, schema: unknown): object {
  // OpenAPI 2 has no unions: these two say `string` and take numbers, too.
  if (/\.(IntOrString|Quantity)$/.test(name)) return { type: ["string", "number", "integer"] };
  const isObject = typeof schema === "object" && schema !== null;
  if (!isObject) throw new Error(`${name}: no schema`);
  return "properties" in schema ? { ...schema, additionalProperties: false } : schema;
}
