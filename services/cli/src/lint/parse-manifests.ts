import { isJsonObject, jsonField, jsonList } from "@fleet-reloader/domain/json";
import { type LintFinding, templateFinding } from "@fleet-reloader/domain/lint/finding";
import type { LintManifest, ManifestPath, ManifestPosition } from "@fleet-reloader/domain/lint/manifest";
import { type Document, isNode, LineCounter, parseAllDocuments, type ScalarTag } from "yaml";
import type { ManifestText, UnreadManifest } from "./manifest-files.ts";
import { isUnrendered } from "./unrendered.ts";

/** What a file holds: manifests, or a template, or nothing that can be read. */
export interface ParsedManifests {
  readonly manifests: readonly LintManifest[];
  readonly templates: readonly LintFinding[];
  readonly unread: readonly UnreadManifest[];
}

/** Kubernetes reads YAML 1.1's further booleans: `auto: yes` without quotes is no text. */
const wordBoolean: ScalarTag = {
  identify: () => false,
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:[Yy]es|YES|[Oo]n|ON|[Nn]o|NO|[Oo]ff|OFF)$/,
  resolve: (text) => /^(?:yes|on)$/i.test(text),
};

/** Objects with few lines can name each other so often that they fill the memory. */
const aliasesMax = 1000;

/**
 * Reads every document of a YAML or JSON file. The parser's messages are dropped: they quote the text, which may be a
 * Secret. Only place and code of an error are kept.
 */
export function parseManifests({ file, text }: ManifestText): ParsedManifests {
  const lineCounter = new LineCounter();
  const position = (offset: number): ManifestPosition => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const failed = (place: ManifestPosition, why: string): ParsedManifests => {
    return { manifests: [], templates: [], unread: [{ file: `${file}:${place.line}:${place.column}`, why }] };
  };
  try {
    const documents = documentsOf(text, lineCounter);
    if (text.includes("{{") && documents.some(isUnrendered))
      return { manifests: [], templates: [templateFinding(file, position(text.indexOf("{{")))], unread: [] };
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error !== undefined)
      return failed(position(error.pos[0]), `is no YAML or JSON (${error.code}); correct this place`);
    return {
      manifests: documents.flatMap((document) => manifestsOf(file, document, position)),
      templates: [],
      unread: [],
    };
  } catch (error) {
    if (error instanceof NoManifest)
      return failed(error.position, "holds no manifest: an object with kind and metadata is expected");
    return failed(
      { line: 1, column: 1 },
      "cannot be read: it is nested too deeply, or repeats itself too often",
    );
  }
}

/** A document that is neither an object, nor a list, nor empty. */
class NoManifest extends Error {
  readonly position: ManifestPosition;

  constructor(position: ManifestPosition) {
    super("no manifest");
    this.position = position;
  }
}

function documentsOf(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  const documents = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    logLevel: "silent",
    merge: true,
    uniqueKeys: false,
    customTags: [wordBoolean],
  });
  return "empty" in documents ? [] : documents;
}

function manifestsOf(
  file: string,
  document: Document.Parsed,
  position: (offset: number) => ManifestPosition,
): readonly LintManifest[] {
  const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
  const positionOf = (path: ManifestPath) => position(offsetOf(document, path));
  if (value === null || value === undefined || Array.isArray(value)) return [];
  if (!isJsonObject(value)) throw new NoManifest(positionOf([]));
  const items = jsonField(value, "items");
  if (!Array.isArray(items) || !String(jsonField(value, "kind")).endsWith("List"))
    return [{ file, object: value, positionOf }];
  return jsonList(items).map((object, index) => {
    return { file, object, positionOf: (path) => positionOf(["items", index, ...path]) };
  });
}

/** Where the value at a path begins, or that of its nearest parent. */
function offsetOf(document: Document.Parsed, path: ManifestPath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
