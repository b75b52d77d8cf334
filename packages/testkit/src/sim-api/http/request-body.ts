import { parse as parseYaml } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../objects/json.ts";
import { decodeObject, protobufType } from "../protobuf/decode-object.ts";
import { badRequest, unsupportedMediaType } from "../status-errors.ts";

const objectTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "application/json").split(";")[0]?.trim() ?? "";
}

/** An object of this kind in whatever form a create or update may come. */
export function objectBody(kind: string, contentType: string | undefined, content: Buffer): JsonObject {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === protobufType) return decodeObject(content);
  const text = content.toString();
  if (mediaType === "application/yaml") return yamlBody(text);
  if (mediaType !== "application/json") {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${objectTypes}`,
    );
  }
  const body = tryParse(text);
  if (isJsonObject(body)) return body;
  const why = body === undefined ? "unexpected end of JSON input" : "json: cannot unmarshal into a Go value";
  throw badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why}`,
  );
}

/** The options in the body of a delete; none when it is empty. */
export function optionsBody(text: string): JsonObject {
  const body = text === "" ? {} : tryParse(text);
  if (isJsonObject(body)) return body;
  throw badRequest(
    "couldn't get version/kind; json parse error: invalid character looking for beginning of value",
  );
}

export function patchBody(text: string): JsonValue {
  const body = tryParse(text);
  if (body === undefined) throw badRequest("error decoding patch: unexpected end of JSON input");
  return body;
}

export function yamlBody(text: string): JsonObject {
  const body = tryParseYaml(text);
  if (isJsonObject(body)) return body;
  throw badRequest("error decoding YAML: the body of the request is not an object");
}

/** undefined: no JSON. */
function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function tryParseYaml(text: string): JsonValue {
  try {
    const value: JsonValue = parseYaml(text);
    return value;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${String(error)}`);
  }
}
