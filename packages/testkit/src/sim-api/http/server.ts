import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import type { UserDirectory } from "../auth/users.ts";
import type { RequestCounters } from "../instruments/request-counters.ts";
import type { ScriptedFailures } from "../instruments/scripted-failures.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { parseFieldSelector } from "../read/field-selector.ts";
import { ApiError, forbidden, methodNotAllowed, scriptedFailure, tooLargeBody } from "../status-errors.ts";
import type { Call } from "./call.ts";
import type { Certificate } from "./certificate.ts";
import { type Form, negotiate } from "./negotiate.ts";
import { type ReadDeps, serveRead } from "./read-handlers.ts";
import { renderObject } from "./render.ts";
import { readBody, sendError, sendJson } from "./respond.ts";
import { createRouter, type ResourceRoute, type Verb, verbOf } from "./route.ts";
import { createPathServer } from "./server-paths.ts";
import type { WriteDeps } from "./write-call.ts";
import { serveWrite } from "./write-handlers.ts";

/** The real server's limit for a JSON body. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** Longer than any client keeps a connection idle, so that it is the client who closes. */
const KEEP_ALIVE_MS = 90_000;

/** Milliseconds added before a request is looked at, by verb; "*" for all others. Changeable at any time. */
export interface LatencySettings {
  [verb: string]: number;
}

export interface ApiServerDeps extends ReadDeps, WriteDeps {
  readonly types: readonly ResourceType[];
  readonly users: UserDirectory;
  readonly counters: RequestCounters;
  readonly failures: ScriptedFailures;
  readonly latency: LatencySettings;
  /** Plain HTTP without. */
  readonly certificate: Certificate | undefined;
}

/** The HTTP face of one cluster; not yet listening. */
export function createApiServer(deps: ApiServerDeps): Server {
  const route = createRouter(deps.types);
  const servePath = createPathServer(deps);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://sim");
    const user = deps.users.authenticate(request.headers.authorization);
    const call: Call = { request, response, path, query, user };
    const target = route(path);
    if (target === undefined) return servePath(call);
    const verb = verbOf(request.method, target, query);
    if (verb === undefined) throw methodNotAllowed();
    return serveResource(deps, call, verb, target);
  };
  const listener: RequestListener = (request, response) => {
    handle(request, response).catch((error: unknown) => answerError(request, response, error));
  };
  const { certificate } = deps;
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ key: certificate.keyPem, cert: certificate.certificatePem }, listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  return server;
}

async function serveResource(
  deps: ApiServerDeps,
  call: Call,
  verb: Verb,
  target: ResourceRoute,
): Promise<void> {
  const { type, subresource, namespace, name } = target;
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  deps.counters.begin(`${verb} ${resource}`, call.request, call.response);
  const latencyMs = deps.latency[verb] ?? deps.latency["*"] ?? 0;
  if (latencyMs > 0) await delay(latencyMs);
  const failure = deps.failures.take({ verb, resource, namespace, name });
  if (failure !== undefined && failure.after !== true) {
    if (failure.status !== "reset") throw scriptedFailure(failure.status, failure.retryAfter);
    return reset(call);
  }
  authorize(deps.users, call, verb, target);
  if (verb === "get" || verb === "list" || verb === "watch") return serveRead(deps, call, verb, target);
  const content = await readBody(call.request, BODY_BYTES_MAX);
  if (content === undefined) throw tooLargeBody(BODY_BYTES_MAX);
  const form = negotiate(call.request.headers.accept, writeForms);
  const { headers } = call.request;
  const answer = serveWrite(deps, {
    verb,
    route: target,
    query: call.query,
    headers,
    body: content,
    user: call.user,
  });
  // The write stands, the client never learns it.
  if (failure !== undefined) return reset(call);
  const body = answer.object === undefined ? answer.body : renderObject(type, answer.object, form);
  sendJson(call.request, call.response, answer.code, body ?? {});
}

const writeForms: ReadonlySet<Form> = new Set(["object", "metadata", "metadata-list", "table"]);

function reset({ request: { socket } }: Call): void {
  // Node cannot send a reset through TLS; there an abrupt end has to do.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

function authorize(users: UserDirectory, call: Call, verb: Verb, target: ResourceRoute): void {
  const { type, namespace, subresource } = target;
  // A list of the one object with this name needs no more than the right to that name.
  const name = target.name ?? nameSelected(call, target);
  const isNamespaceItself = type.kind === "Namespace";
  const where = isNamespaceItself ? target.name : namespace;
  if (
    users.mayAccess(call.user, {
      verb,
      group: type.group,
      resource: type.plural,
      subresource,
      namespace: where,
      name,
    })
  )
    return;
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  const scope = where === undefined ? "at the cluster scope" : `in the namespace "${where}"`;
  throw forbidden(
    type,
    target.name ?? "",
    `User "${call.user}" cannot ${verb} resource "${resource}" in API group "${type.group}" ${scope}`,
  );
}

function nameSelected(call: Call, target: ResourceRoute): string | undefined {
  const fields = call.query.get("fieldSelector");
  return fields === null ? undefined : parseFieldSelector(target.type, fields).name;
}

function answerError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || request.socket.destroyed) {
    response.destroy();
    return;
  }
  const message = `Internal error occurred: ${error instanceof Error ? error.stack : String(error)}`;
  const known =
    error instanceof ApiError ? error : new ApiError({ code: 500, reason: "InternalError", message });
  sendError(request, response, known);
}
