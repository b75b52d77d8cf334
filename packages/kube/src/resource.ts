/** One collection of the API: which resource, in one namespace or in all, whole objects or metadata only. */
export interface Collection {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string | undefined;
  readonly metadataOnly: boolean;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** `/api/v1/…` or `/apis/group/version/…`, with the namespace and the name where they are given. */
export function resourcePath(
  resource: { readonly group: string; readonly version: string; readonly plural: string },
  namespace?: string,
  name?: string,
): string {
  const root =
    resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const item = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${resource.plural}${item}`;
}

const jsonType = "application/json";
// Metadata only is content negotiation: https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
const metadata = `${jsonType};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const metadataList = `${jsonType};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

export const accept = { json: jsonType, metadata, metadataList } as const;
