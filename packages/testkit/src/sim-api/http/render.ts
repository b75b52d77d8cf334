import type { JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { apiVersionOf, type ResourceType } from "../objects/resource-types.ts";
import type { ListPage } from "../read/list-page.ts";
import type { Form } from "./negotiate.ts";
import { columnsOf, rowOf } from "./table.ts";

/** What a Table row carries of its object (`includeObject`). */
export type RowObject = "Metadata" | "Object" | "None";

/** One object as the client asked to see it. */
export function renderObject(
  type: ResourceType,
  object: KubeObject,
  form: Form,
  row: RowObject = "Metadata",
): JsonObject {
  switch (form) {
    case "metadata":
    case "metadata-list":
      return partial(object);
    case "table":
      return table(type, [object], object.metadata.resourceVersion, row);
    case "object":
      return object.metadata.resourceVersion === "" ? withoutVersion(object) : object;
  }
}

/** What a dry run would have created was never stored. */
function withoutVersion(object: KubeObject): JsonObject {
  const { resourceVersion: _none, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The text of a list, piece by piece: a list of 50,000 objects never is one string. */
export function* renderList(
  type: ResourceType,
  page: ListPage,
  form: Form,
  row: RowObject,
): Generator<string> {
  const listMeta = JSON.stringify({
    resourceVersion: String(page.version),
    continue: page.continueToken,
    remainingItemCount: page.remaining,
  });
  if (form === "table") {
    const columns = JSON.stringify(columnsOf(type));
    yield `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${listMeta},"columnDefinitions":${columns},"rows":[`;
    yield* joined(page.objects, (object) => ({ ...rowOf(type, object), ...rowObject(object, row) }));
  } else if (form === "metadata-list") {
    yield `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${listMeta},"items":[`;
    yield* joined(page.objects, partial);
  } else {
    yield `{"kind":"${type.kind}List","apiVersion":"${apiVersionOf(type)}","metadata":${listMeta},"items":[`;
    yield* joined(page.objects, type.isCustom ? (object) => object : withoutType);
  }
  yield "]}\n";
}

/** An event of a Table watch carries a Table of one row. */
function table(
  type: ResourceType,
  objects: readonly KubeObject[],
  version: string,
  row: RowObject,
): JsonObject {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: version },
    columnDefinitions: columnsOf(type),
    rows: objects.map((object) => ({ ...rowOf(type, object), ...rowObject(object, row) })),
  };
}

function rowObject(object: KubeObject, row: RowObject): JsonObject {
  if (row === "None") return {};
  return { object: row === "Object" ? object : partial(object) };
}

function partial(object: KubeObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

/** Items of a built-in list carry neither apiVersion nor kind. */
export function withoutType(object: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return rest;
}

function* joined(
  objects: Iterable<KubeObject>,
  render: (object: KubeObject) => JsonObject,
): Generator<string> {
  let separator = "";
  for (const object of objects) {
    yield separator + JSON.stringify(render(object));
    separator = ",";
  }
}
