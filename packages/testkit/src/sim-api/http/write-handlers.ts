import { stringAt } from "../objects/json.ts";
import { applyPatchType, patchFunction } from "../patch/patch-function.ts";
import { conflict, methodNotAllowed, unknownResource } from "../status-errors.ts";
import { applyConfiguration } from "../store/server-side-apply.ts";
import type { WriteContext } from "../store/write-context.ts";
import { serveDelete, serveDeleteCollection } from "./delete-handlers.ts";
import { mediaTypeOf, objectBody, patchBody, yamlBody } from "./request-body.ts";
import { fromScale, toScale } from "./scale.ts";
import type { WriteAnswer, WriteDeps, WriteRequest } from "./write-call.ts";
import { parseWriteOptions } from "./write-options.ts";

export function serveWrite(deps: WriteDeps, request: WriteRequest): WriteAnswer {
  checkSubresource(request);
  switch (request.verb) {
    case "create":
      return create(deps, request);
    case "update":
      return update(deps, request);
    case "patch":
      return patch(deps, request);
    case "delete":
      return serveDelete(deps, request);
    case "deletecollection":
      return serveDeleteCollection(deps, request);
    default:
      throw methodNotAllowed();
  }
}

function checkSubresource({ route, verb }: WriteRequest): void {
  const { type, subresource } = route;
  if (subresource === undefined) return;
  const isServed = (subresource === "status" && type.hasStatus) || (subresource === "scale" && type.hasScale);
  if (!isServed) throw unknownResource();
  if (verb !== "update" && verb !== "patch") throw methodNotAllowed();
}

function create({ registry }: WriteDeps, request: WriteRequest): WriteAnswer {
  const { type, namespace } = request.route;
  if (type.isNamespaced && namespace === undefined) throw methodNotAllowed();
  const context = contextOf(request, "CreateOptions", "create");
  return {
    code: 201,
    object: registry.create(
      type,
      namespace ?? "",
      objectBody(type.kind, request.headers["content-type"], request.body),
      context,
    ),
  };
}

function update({ registry }: WriteDeps, request: WriteRequest): WriteAnswer {
  const { type, namespace = "", name = "", subresource } = request.route;
  const body = objectBody(type.kind, request.headers["content-type"], request.body);
  const context = contextOf(request, "UpdateOptions", "update");
  const object = registry.update(
    type,
    namespace,
    name,
    (current) => {
      if (subresource === "scale") return fromScale(current, body);
      // Unlike a patch, a PUT takes a foreign uid as a failed precondition.
      const uid = stringAt(body, "metadata", "uid") ?? current.metadata.uid;
      if (uid !== current.metadata.uid) {
        throw conflict(
          type,
          name,
          `StorageError: invalid object, Code: 4, Key: /registry/${type.plural}/${namespace}/${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
        );
      }
      return body;
    },
    context,
  );
  return subresource === "scale" ? { code: 200, body: toScale(object) } : { code: 200, object };
}

function patch({ store, registry }: WriteDeps, request: WriteRequest): WriteAnswer {
  const { type, namespace = "", name = "", subresource } = request.route;
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  if (mediaType === applyPatchType) {
    const options = parseWriteOptions("PatchOptions", request.query, request.headers["user-agent"], true);
    const { object, isNew } = applyConfiguration(
      { store, registry },
      {
        type,
        namespace,
        name,
        configuration: yamlBody(request.body.toString()),
        isForced: options.isForced,
        context: { verb: "apply", user: request.user, ...options, subresource: subresourceOf(request) },
      },
    );
    return { code: isNew ? 201 : 200, object };
  }
  const change = patchFunction(type, mediaType, patchBody(request.body.toString()));
  const object = registry.update(
    type,
    namespace,
    name,
    (current) => (subresource === "scale" ? fromScale(current, change(toScale(current))) : change(current)),
    contextOf(request, "PatchOptions", "patch"),
  );
  return subresource === "scale" ? { code: 200, body: toScale(object) } : { code: 200, object };
}

function contextOf(request: WriteRequest, kind: string, verb: WriteContext["verb"]): WriteContext {
  const options = parseWriteOptions(kind, request.query, request.headers["user-agent"], false);
  return { verb, user: request.user, ...options, subresource: subresourceOf(request) };
}

function subresourceOf({ route }: WriteRequest): "status" | "scale" | undefined {
  return route.subresource === "status" || route.subresource === "scale" ? route.subresource : undefined;
}
