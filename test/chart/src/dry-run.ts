import type { ControlPlane } from "@fleet-reloader/control-plane/control-plane";
import { at, type Manifest } from "./manifest.ts";

/** Where an API server keeps a kind; undefined for one it does not know. */
async function collectionOf(plane: ControlPlane, object: Manifest): Promise<string | undefined> {
  const base = object.apiVersion.includes("/") ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { status, body } = await plane.request({ path: base });
  if (status === 404) return undefined;
  const resources = at(body, "resources");
  const resource = (Array.isArray(resources) ? resources : []).find(
    (each) => at(each, "kind") === object.kind && !String(at(each, "name")).includes("/"),
  );
  if (resource === undefined) return undefined;
  const inNamespace = at(resource, "namespaced") === true;
  if (!inNamespace && object.metadata.namespace !== undefined)
    throw new Error(`${object.kind} ${object.metadata.name} is in no namespace, but names one`);
  return `${base}${inNamespace ? `/namespaces/${object.metadata.namespace}` : ""}/${String(at(resource, "name"))}`;
}

/**
 * Applies as `helm` and `kubectl` do on the server's side: every field is checked, unknown ones are refused. Resolves to what
 * the server says against it, or to `undefined`; throws for a kind it does not know.
 */
export async function apply(
  plane: ControlPlane,
  object: Manifest,
  options: { readonly isDryRun: boolean },
): Promise<string | undefined> {
  const collection = await collectionOf(plane, object);
  if (collection === undefined)
    throw new Error(`the API server knows no ${object.apiVersion} ${object.kind}`);
  const query = `fieldManager=helm&force=true&fieldValidation=Strict${options.isDryRun ? "&dryRun=All" : ""}`;
  const { status, body } = await plane.request({
    method: "PATCH",
    path: `${collection}/${object.metadata.name}?${query}`,
    contentType: "application/apply-patch+yaml",
    body: object,
  });
  return status < 300
    ? undefined
    : `${object.kind} ${object.metadata.name}: ${status} ${String(at(body, "message"))}`;
}
