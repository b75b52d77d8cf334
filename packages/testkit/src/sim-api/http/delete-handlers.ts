import { isJsonArray, type JsonObject, objectAt, stringAt } from "../objects/json.ts";
import { apiVersionOf } from "../objects/resource-types.ts";
import { parseSelection } from "../read/list-query.ts";
import { invalidOptions } from "../status-errors.ts";
import type { WriteContext } from "../store/write-context.ts";
import { withoutType } from "./render.ts";
import { optionsBody } from "./request-body.ts";
import type { WriteAnswer, WriteDeps, WriteRequest } from "./write-call.ts";
import { parseWriteOptions } from "./write-options.ts";

const policies = ["Foreground", "Background", "Orphan"];

export function serveDelete({ registry }: WriteDeps, request: WriteRequest): WriteAnswer {
  const { type, namespace = "", name = "" } = request.route;
  const options = optionsBody(request.body.toString());
  const preconditions = objectAt(options, "preconditions");
  const { object, isGone } = registry.remove(
    type,
    namespace,
    name,
    {
      uid: stringAt(preconditions, "uid"),
      resourceVersion: stringAt(preconditions, "resourceVersion"),
      propagationPolicy: policyOf(request, options),
    },
    contextOf(request, options),
  );
  if (!isGone) return { code: 200, object };
  const group = type.group === "" ? {} : { group: type.group };
  const details = { name, ...group, kind: type.plural, uid: object.metadata.uid };
  return { code: 200, body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details } };
}

export function serveDeleteCollection({ store, registry }: WriteDeps, request: WriteRequest): WriteAnswer {
  const { type, namespace } = request.route;
  const options = optionsBody(request.body.toString());
  const selection = parseSelection(type, namespace, undefined, request.query);
  const context = contextOf(request, options);
  const propagationPolicy = policyOf(request, options);
  const items = [...store.scan(type, namespace)].filter(selection.matches).map(({ metadata }) => {
    const { namespace: home = "", name } = metadata;
    const { object } = registry.remove(type, home, name, { propagationPolicy }, context);
    return type.isCustom ? object : withoutType(object);
  });
  const metadata = { resourceVersion: String(store.version) };
  return { code: 200, body: { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items } };
}

function policyOf(request: WriteRequest, options: JsonObject): string | undefined {
  const policy = request.query.get("propagationPolicy") ?? stringAt(options, "propagationPolicy");
  if (policy === undefined || policies.includes(policy)) return policy;
  const message = `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
  throw invalidOptions("DeleteOptions", [
    { type: "FieldValueNotSupported", field: "propagationPolicy", message },
  ]);
}

/** `dryRun` of a delete may stand in its query or in its body. */
function contextOf(request: WriteRequest, options: JsonObject): WriteContext {
  const parsed = parseWriteOptions("DeleteOptions", request.query, request.headers["user-agent"], false);
  const isDryRun = parsed.isDryRun || (isJsonArray(options.dryRun) && options.dryRun.includes("All"));
  return { verb: "delete", user: request.user, manager: parsed.manager, isDryRun };
}
