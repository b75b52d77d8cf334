import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** How to reach an API server, simulated or real, as a user of it. */
export interface ApiTarget {
  readonly url: string;
  readonly token: string;
  /** PEM; absent for plain HTTP. */
  readonly ca?: string;
}

export interface ApiResult {
  readonly status: number;
  readonly body: unknown;
}

/** Where a collection lives: `/api/v1` or `/apis/apps/v1`, and the resource. */
const collections = {
  ConfigMap: ["/api/v1", "configmaps"],
  Secret: ["/api/v1", "secrets"],
  Namespace: ["/api/v1", "namespaces"],
  Pod: ["/api/v1", "pods"],
  Event: ["/api/v1", "events"],
  Deployment: ["/apis/apps/v1", "deployments"],
  ReplicaSet: ["/apis/apps/v1", "replicasets"],
  StatefulSet: ["/apis/apps/v1", "statefulsets"],
  DaemonSet: ["/apis/apps/v1", "daemonsets"],
  CronJob: ["/apis/batch/v1", "cronjobs"],
  Job: ["/apis/batch/v1", "jobs"],
  Rollout: ["/apis/argoproj.io/v1alpha1", "rollouts"],
  DeploymentConfig: ["/apis/apps.openshift.io/v1", "deploymentconfigs"],
  KnativeService: ["/apis/serving.knative.dev/v1", "services"],
  CustomResourceDefinition: ["/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"],
  ControllerRevision: ["/apis/apps/v1", "controllerrevisions"],
  ClusterRole: ["/apis/rbac.authorization.k8s.io/v1", "clusterroles"],
  ClusterRoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"],
  SecretProviderClass: ["/apis/secrets-store.csi.x-k8s.io/v1", "secretproviderclasses"],
  SecretProviderClassPodStatus: ["/apis/secrets-store.csi.x-k8s.io/v1", "secretproviderclasspodstatuses"],
  Role: ["/apis/rbac.authorization.k8s.io/v1", "roles"],
  RoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "rolebindings"],
} as const;

export type ApiKind = keyof typeof collections;

/** Path of a collection, or of one object in it. */
export function apiPath(kind: ApiKind, namespace?: string, name?: string): string {
  const [root, plural] = collections[kind];
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}${name === undefined ? "" : `/${name}`}`;
}

/** A plain client for tests: what a user's kubectl would send, and nothing of the product. */
export class ApiClient {
  readonly #target: ApiTarget;

  constructor(target: ApiTarget) {
    this.#target = target;
  }

  create(kind: ApiKind, object: object, namespace?: string): Promise<ApiResult> {
    return this.send("POST", apiPath(kind, namespace), object);
  }

  patch(kind: ApiKind, name: string, patch: object, namespace?: string): Promise<ApiResult> {
    return this.send(
      "PATCH",
      `${apiPath(kind, namespace, name)}?fieldManager=test`,
      patch,
      "application/merge-patch+json",
    );
  }

  get(kind: ApiKind, name: string, namespace?: string): Promise<ApiResult> {
    return this.send("GET", apiPath(kind, namespace, name));
  }

  list(kind: ApiKind, namespace?: string): Promise<ApiResult> {
    return this.send("GET", apiPath(kind, namespace));
  }

  remove(kind: ApiKind, name: string, namespace?: string): Promise<ApiResult> {
    return this.send("DELETE", `${apiPath(kind, namespace, name)}?propagationPolicy=Background`);
  }

  /** Any request; a text is sent as it is. Resolves with whatever the server answers; rejects only when it does not answer. */
  send(
    method: string,
    path: string,
    body?: object | string,
    contentType = "application/json",
  ): Promise<ApiResult> {
    const { url, token, ca } = this.#target;
    const target = new URL(path, url);
    const { promise, resolve, reject } = Promise.withResolvers<ApiResult>();
    const start = target.protocol === "https:" ? httpsRequest : httpRequest;
    const outgoing = start(
      target,
      {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": contentType }),
        },
        ...(ca === undefined ? {} : { ca }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString("utf8")) }),
        );
      },
    );
    outgoing.on("error", (error) => {
      // The server closed a connection that was idle at this very moment: https://nodejs.org/api/http.html#requestreusedsocket
      const isStale = outgoing.reusedSocket && "code" in error && error.code === "ECONNRESET";
      if (isStale) resolve(this.send(method, path, body, contentType));
      else reject(error);
    });
    outgoing.end(typeof body === "object" ? JSON.stringify(body) : body);
    return promise;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
