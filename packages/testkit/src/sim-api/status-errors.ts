import type { JsonObject } from "./objects/json.ts";
import {
  qualifiedKind,
  qualifiedName,
  type ResourceName,
  type ResourceType,
} from "./objects/resource-types.ts";

/** An answer of kind Status: thrown where a request cannot go on, written by the HTTP layer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: StatusBody;

  constructor(status: StatusBody) {
    super(status.message);
    this.status = status;
  }
}

export interface StatusBody {
  readonly code: number;
  /** The real server gives none for some of its own failures. */
  readonly reason?: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly metadata?: JsonObject;
}

export interface FieldProblem {
  readonly type:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueForbidden"
    | "FieldValueNotFound"
    | "FieldValueNotSupported"
    | "FieldValueTooLong";
  readonly field: string;
  readonly message: string;
}

/** Key order and content as Go's encoder writes a Status. */
export function statusJson(status: StatusBody): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: status.metadata ?? {},
    status: "Failure",
    message: status.message,
    ...(status.reason === undefined ? {} : { reason: status.reason }),
    ...(status.details === undefined ? {} : { details: status.details }),
    code: status.code,
  };
}

function named(type: ResourceName, name: string): JsonObject {
  return {
    ...(name === "" ? {} : { name }),
    ...(type.group === "" ? {} : { group: type.group }),
    kind: type.plural,
  };
}

export function notFound(type: ResourceType, name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: `${qualifiedName(type)} "${name}" not found`,
    details: named(type, name),
  });
}

/** No such path: the resource itself is unknown. */
export function unknownResource(): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

export function alreadyExists(type: ResourceType, name: string): ApiError {
  return new ApiError({
    code: 409,
    reason: "AlreadyExists",
    message: `${qualifiedName(type)} "${name}" already exists`,
    details: named(type, name),
  });
}

export function conflict(type: ResourceType, name: string, why: string): ApiError {
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`,
    details: named(type, name),
  });
}

export function modifiedSince(type: ResourceType, name: string): ApiError {
  return conflict(
    type,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

export function forbidden(type: ResourceName, name: string, why: string): ApiError {
  const subject = name === "" ? qualifiedName(type) : `${qualifiedName(type)} "${name}"`;
  return new ApiError({
    code: 403,
    reason: "Forbidden",
    message: `${subject} is forbidden: ${why}`,
    details: named(type, name),
  });
}

export function forbiddenPath(user: string, verb: string, path: string): ApiError {
  return new ApiError({
    code: 403,
    reason: "Forbidden",
    message: `forbidden: User "${user}" cannot ${verb} path "${path}"`,
    details: {},
  });
}

export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/** A failure in the middle of the real server, which it does not explain by a reason. */
export function internalFailure(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

/** `invalid` for options of the request rather than of an object. */
export function invalidOptions(kind: string, problems: readonly FieldProblem[]): ApiError {
  return invalidNamed(`${kind}.meta.k8s.io`, "", { group: "meta.k8s.io", kind }, problems);
}

export function invalid(type: ResourceType, name: string, problems: readonly FieldProblem[]): ApiError {
  const details = {
    ...(name === "" ? {} : { name }),
    ...(type.group === "" ? {} : { group: type.group }),
    kind: type.kind,
  };
  return invalidNamed(qualifiedKind(type), name, details, problems);
}

function invalidNamed(
  kind: string,
  name: string,
  details: JsonObject,
  problems: readonly FieldProblem[],
): ApiError {
  const texts = problems.map((problem) => `${problem.field}: ${problem.message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: `${kind} "${name}" is invalid${texts.length === 0 ? "" : `: ${text}`}`,
    details: {
      ...details,
      causes: problems.map((problem) => ({
        reason: problem.type,
        message: problem.message,
        field: problem.field,
      })),
    },
  });
}

/** What the real server says of a JSON patch that does not apply: code 422 and no help. */
export function unprocessable(): ApiError {
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: "Expired", message });
}

export function tooLargeResourceVersion(asked: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

export function tooLargeBody(limitBytes: number): ApiError {
  return new ApiError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${limitBytes}`,
  });
}

export function unsupportedMediaType(message: string): ApiError {
  return new ApiError({ code: 415, reason: "UnsupportedMediaType", message, details: {} });
}

export function notAcceptable(message: string): ApiError {
  return new ApiError({ code: 406, reason: "NotAcceptable", message, details: {} });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

/** A failure asked for by a test, in the words the real server has for that status. */
export function scriptedFailure(code: number, retryAfterSeconds: number | undefined): ApiError {
  const [reason, message] = scriptedTexts.get(code) ?? [
    "InternalError",
    "Internal error occurred: scripted failure",
  ];
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new ApiError({ code, reason, message, ...details });
}

const scriptedTexts = new Map<number, readonly [reason: string, message: string]>([
  [400, ["BadRequest", "the server rejected our request for an unknown reason"]],
  [401, ["Unauthorized", "Unauthorized"]],
  [403, ["Forbidden", "forbidden: scripted failure"]],
  [404, ["NotFound", "the server could not find the requested resource"]],
  [409, ["Conflict", "the server reported a conflict"]],
  [410, ["Expired", "The resourceVersion for the provided watch is too old."]],
  [422, ["Invalid", "the server rejected our request due to an error in our request"]],
  [429, ["TooManyRequests", "Too many requests, please try again later."]],
  [503, ["ServiceUnavailable", "the server is currently unable to handle the request"]],
  [504, ["Timeout", "Timeout: request did not complete within the allotted timeout"]],
]);
