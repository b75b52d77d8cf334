import { notAcceptable } from "../status-errors.ts";

/** How objects are shown in an answer. */
export type Form = "object" | "metadata" | "metadata-list" | "table";

const offered =
  "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/**
 * The first media range of the Accept header that we can serve, in the client's order. Throws 406
 * when there is none. `forms` are those that fit the request: a list has no single PartialObjectMetadata.
 */
export function negotiate(accept: string | undefined, forms: ReadonlySet<Form>): Form {
  for (const range of (accept ?? "*/*").split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!["application/json", "application/*", "*/*", ""].includes(type)) continue;
    const form = formOf(new Map(parameters.map(parseParameter)));
    if (form !== undefined && forms.has(form)) return form;
  }
  const isPartial = forms.has("metadata-list") && (accept ?? "").includes("as=PartialObjectMetadata;");
  throw notAcceptable(
    isPartial ? "you requested PartialObjectMetadata, but the requested object is a list" : offered,
  );
}

function parseParameter(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function formOf(parameters: ReadonlyMap<string, string>): Form | undefined {
  const as = parameters.get("as");
  if (as === undefined) return "object";
  if (parameters.get("g") !== "meta.k8s.io" || parameters.get("v") !== "v1") return undefined;
  if (as === "PartialObjectMetadata") return "metadata";
  if (as === "PartialObjectMetadataList") return "metadata-list";
  return as === "Table" ? "table" : undefined;
}
