import { statusOfFault } from "@fleet-reloader/contracts/api/api-problem";
import { type ApiRouteName, apiRoutes } from "@fleet-reloader/contracts/api/api-routes";
import type { Fault } from "@fleet-reloader/domain/fault";
import { pathNames } from "./api-question.ts";

/** The HTTP status of a refused request: 404 when the path names something that does not exist. */
export function statusOfRefusal({ code, context }: Fault, route?: ApiRouteName): number {
  const { field } = context;
  if (field === "method") return 405;
  if (field === "streams") return 503;
  const isOfPath = route !== undefined && pathNames(apiRoutes[route].path).some((name) => name === field);
  return field === "path" || isOfPath ? 404 : statusOfFault(code);
}
