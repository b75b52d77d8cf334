import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { nameOf, positionOf } from "./fleet-objects.ts";
import type { LogicalCluster } from "./logical-cluster.ts";
import type { FleetRoute } from "./route.ts";

/** Answers one request as an API server would, as far as the product asks. */
export async function handle(
  { verb, resource, name, path, query }: FleetRoute,
  cluster: LogicalCluster,
  exchange: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly patchMs: number;
  },
): Promise<void> {
  const { request, response, patchMs } = exchange;
  if (cluster.behaviour === "fails") return answer(response, 500, status(500, "InternalError"));
  if (cluster.behaviour === "hangs")
    return void head(response, 200, { "content-length": "4096" }).flushHeaders();
  const isMetadata = (request.headers.accept ?? "").includes("PartialObjectMetadata");
  switch (verb) {
    case "watch":
      watch(cluster, resource, query, response);
      return;
    case "list": {
      const limit = Number(query.get("limit") ?? 0);
      const from = Number(query.get("continue") ?? 0);
      answer(response, 200, cluster.page(resource, isMetadata, from, limit));
      return;
    }
    case "get":
      get(cluster, resource, name, path, response);
      return;
    case "patch": {
      const patch: unknown = JSON.parse(await bodyOf(request));
      if (patchMs > 0) await wait(patchMs);
      const at = positionOf(name);
      if (resource !== "deployments" || nameOf("deployments", at) !== name) {
        answer(response, 404, status(404, "NotFound"));
        return;
      }
      const patched = cluster.patchDeployment(at, patch);
      if (patched === undefined) answer(response, 409, status(409, "Conflict"));
      else answer(response, 200, patched);
      return;
    }
    default: {
      // Events, access reviews and the ConfigMap an installation leaves: taken, allowed, and forgotten.
      const body: unknown = JSON.parse((await bodyOf(request)) || "{}");
      const made = typeof body === "object" ? body : {};
      answer(response, 201, { ...made, status: { allowed: true } });
    }
  }
}

function get(
  cluster: LogicalCluster,
  resource: string,
  name: string,
  path: string,
  response: ServerResponse,
): void {
  if (resource === "namespaces") {
    const uid = name === "kube-system" ? cluster.uid : `${cluster.uid}/${name}`;
    const metadata = { name, uid, resourceVersion: "1", labels: { "kubernetes.io/metadata.name": name } };
    answer(response, 200, { kind: "Namespace", apiVersion: "v1", metadata });
  } else if (path === "/apis") answer(response, 200, groups);
  else if (path === "/version") answer(response, 200, { gitVersion: "v1.36.0", major: "1", minor: "36" });
  else if (path === "/readyz" || path === "/livez") head(response, 200, {}).end("ok");
  else {
    const found = cluster.object(resource, positionOf(name));
    if (found === undefined) answer(response, 404, status(404, "NotFound"));
    else answer(response, 200, found);
  }
}

function watch(
  cluster: LogicalCluster,
  resource: string,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  head(response, 200, { "content-type": "application/json" }).flushHeaders();
  if (!cluster.watch(resource, Number(query.get("resourceVersion") ?? 0), response)) {
    response.end(`${JSON.stringify({ type: "ERROR", object: status(410, "Expired") })}\n`);
    return;
  }
  const end = setTimeout(() => response.end(), Number(query.get("timeoutSeconds") ?? 1800) * 1000);
  response.once("close", () => clearTimeout(end));
}

const groups = {
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: ["apps", "batch", "events.k8s.io", "authorization.k8s.io"].map((name) => ({
    name,
    versions: [{ groupVersion: `${name}/v1`, version: "v1" }],
  })),
};

function status(code: number, reason: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", message: reason, reason, code };
}

function answer(response: ServerResponse, code: number, body: object): void {
  const text = JSON.stringify(body);
  head(response, code, {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  }).end(text);
}

function head(
  response: ServerResponse,
  code: number,
  headers: Readonly<Record<string, string>>,
): ServerResponse {
  response.writeHead(code, { ...headers });
  return response;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
