import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  visit,
  type YAMLMap,
} from "yaml";

/** Whether braces stand where Kubernetes has no braces: as structure, in a name, or in an annotation that we read. */
export function isUnrendered(document: Document.Parsed): boolean {
  if (document.errors.length > 0 || hasPair(document.contents, ({ key }) => isCollection(key))) return true;
  return objectNodesIn(document).some((object) =>
    hasPair(isWorkloadNode(object) ? object : object.get("metadata", true), isBracedName),
  );
}

function objectNodesIn({ contents }: Document.Parsed): readonly YAMLMap[] {
  if (!isMap(contents)) return [];
  const items = contents.get("items", true);
  const isList = String(contents.get("kind")).endsWith("List") && isSeq(items);
  return isList ? items.items.filter((item) => isMap(item)) : [contents];
}

/** Other kinds hold names for programs that render them later, such as an ApplicationSet. */
function isWorkloadNode(object: YAMLMap): boolean {
  return knownKinds.some(({ apiKind }) => apiKind === object.get("kind"));
}

/** The fields whose text another program renders, such as the values of a HelmRelease. Braces in them are content. */
const foreignTextFields: ReadonlySet<unknown> = new Set(["data", "stringData", "binaryData", "values"]);

function hasPair(node: unknown, isIt: (pair: Pair) => boolean): boolean {
  let isFound = false;
  if (!isNode(node)) return isFound;
  visit(node, {
    Pair: (_, pair) => {
      if (isScalar(pair.key) && foreignTextFields.has(pair.key.value)) return visit.SKIP;
      if (!isIt(pair)) return undefined;
      isFound = true;
      return visit.BREAK;
    },
  });
  return isFound;
}

function isBracedName({ key, value }: Pair): boolean {
  const name = isScalar(key) ? key.value : undefined;
  const text = isScalar(value) ? value.value : undefined;
  if (typeof text !== "string" || !text.includes("{{") || typeof name !== "string") return false;
  return ["name", "namespace", "secretName"].includes(name) || /reloader/.test(name);
}
