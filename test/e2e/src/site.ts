import { type ApiClient, type ApiKind, type ApiResult, apiPath } from "@fleet-reloader/testkit/api-client";
import { holds, passed, patienceMs, until } from "@fleet-reloader/testkit/until";

export type Data = Readonly<Record<string, string>>;

/** One namespace of a world, with the words of its user. */
export class Site {
  readonly namespace: string;
  readonly #client: ApiClient;

  private constructor(client: ApiClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  static async make(client: ApiClient, purpose: string, labels: Data = {}): Promise<Site> {
    const namespace = `${purpose}-${Math.random().toString(36).slice(2, 8)}`;
    accepted(
      await client.create("Namespace", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace, labels },
      }),
    );
    return new Site(client, namespace);
  }

  /** Labels of the namespace itself; null takes one away. */
  async label(labels: Readonly<Record<string, string | null>>): Promise<void> {
    accepted(await this.#client.patch("Namespace", this.namespace, { metadata: { labels } }));
  }

  async configMap(name: string, data: Data, metadata: object = {}): Promise<void> {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
    accepted(await this.#client.create("ConfigMap", object, this.namespace));
  }

  async secret(name: string, stringData: Data, metadata: object = {}): Promise<void> {
    const object = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, ...metadata },
      data: encode(stringData),
    };
    accepted(await this.#client.create("Secret", object, this.namespace));
  }

  async providerClass(name: string, metadata: object = {}): Promise<void> {
    const object = {
      ...secretsStore("SecretProviderClass", { name, ...metadata }),
      spec: { provider: "test" },
    };
    accepted(await this.#client.create("SecretProviderClass", object, this.namespace));
  }

  /** What the Secrets Store CSI driver writes when a pod mounts the class. */
  async podStatus(pod: string, className: string, versions: Data): Promise<void> {
    const object = {
      ...secretsStore("SecretProviderClassPodStatus", { name: `${pod}-${className}` }),
      status: {
        ...{ podName: pod, mounted: true, secretProviderClassName: className },
        objects: objectVersions(versions),
      },
    };
    accepted(await this.#client.create("SecretProviderClassPodStatus", object, this.namespace));
  }

  /** What it writes when the pod's volume shows other versions. */
  async rotate(pod: string, className: string, versions: Data): Promise<void> {
    await this.patch("SecretProviderClassPodStatus", `${pod}-${className}`, {
      status: { objects: objectVersions(versions) },
    });
  }

  async change(kind: "ConfigMap" | "Secret", name: string, data: Data): Promise<void> {
    await this.patch(kind, name, { data: kind === "Secret" ? encode(data) : data });
  }

  async patch(kind: ApiKind, name: string, patch: object): Promise<void> {
    accepted(await this.#client.patch(kind, name, patch, this.namespace));
  }

  /** Puts this in the place of what is there, whatever its version. */
  async replace(kind: ApiKind, name: string, object: object): Promise<void> {
    accepted(await this.#client.send("PUT", this.path(kind, name), { ...typeOf(kind), ...object }));
  }

  async remove(kind: ApiKind, name: string): Promise<void> {
    accepted(await this.#client.remove(kind, name, this.namespace));
  }

  /** Makes any object, from its metadata and spec. */
  async make(kind: ApiKind, object: object): Promise<void> {
    accepted(await this.#client.create(kind, { ...typeOf(kind), ...object }, this.namespace));
  }

  /** Makes a workload with this pod spec and, beside the annotations, nothing else of interest. */
  async workload(
    kind: "Deployment" | "StatefulSet" | "DaemonSet",
    name: string,
    options: WorkloadOptions,
  ): Promise<void> {
    accepted(await this.#client.create(kind, workloadObject(kind, name, options), this.namespace));
  }

  /**
   * Times the pod template was changed since the workload was made: revisions its controller has made beyond the first.
   * (The generation would not do: a Deployment's also counts changes of its annotations.)
   */
  async rolls(kind: ApiKind, name: string): Promise<number> {
    if (kind === "Deployment") {
      const revision = at(
        await this.object(kind, name),
        "metadata",
        "annotations",
        "deployment.kubernetes.io/revision",
      );
      return revision === undefined ? 0 : Number(revision) - 1;
    }
    return Math.max(0, (await this.#owned("ControllerRevision", kind, name)).length - 1);
  }

  /** ReplicaSets of a Deployment beyond its first: what people see of its rolls. */
  async newReplicaSets(deployment: string): Promise<number> {
    return (await this.#owned("ReplicaSet", "Deployment", deployment)).length - 1;
  }

  /** When a Deployment's newest ReplicaSet was made, in milliseconds; the API server's times are whole seconds. */
  async rolledAt(deployment: string): Promise<number> {
    const replicaSets = await this.#owned("ReplicaSet", "Deployment", deployment);
    return Math.max(
      ...replicaSets.map((one) => Date.parse(String(at(one, "metadata", "creationTimestamp")))),
    );
  }

  async #owned(kind: ApiKind, ownerKind: string, owner: string): Promise<readonly unknown[]> {
    const items = at((await this.#client.list(kind, this.namespace)).body, "items");
    return (Array.isArray(items) ? items : []).filter((item) => {
      const owners = at(item, "metadata", "ownerReferences");
      const [first] = Array.isArray(owners) ? owners : [];
      return at(first, "kind") === ownerKind && at(first, "name") === owner;
    });
  }

  async object(kind: ApiKind, name: string): Promise<unknown> {
    return (await this.#client.get(kind, name, this.namespace)).body;
  }

  /** What the product has noted on the workload; undefined before it has looked at it. */
  async note(kind: ApiKind, name: string): Promise<string | undefined> {
    const annotations = at(await this.object(kind, name), "metadata", "annotations");
    const found = Object.entries(annotations ?? {}).find(([key]) =>
      key.startsWith("fleet-reloader.io/carried-"),
    );
    return found === undefined ? undefined : String(found[1]);
  }

  /** We have observed it, and its controller has begun: a first revision that is made only after a roll would count as none. */
  async adopted(kind: ApiKind, name: string, timeoutMs = patienceMs): Promise<void> {
    const isAdopted = async () =>
      (await this.note(kind, name)) !== undefined && hasBegun(kind, await this.object(kind, name));
    await until(`${kind} ${name} is adopted`, isAdopted, timeoutMs);
  }

  async forgotten(kind: ApiKind, name: string): Promise<void> {
    await until(`${kind} ${name} has no note`, async () => (await this.note(kind, name)) === undefined);
  }

  /** All objects of a kind in the namespace, as text. */
  async all(kind: ApiKind): Promise<string> {
    return JSON.stringify((await this.#client.list(kind, this.namespace)).body);
  }

  /** Exactly this many rolls: they come, and for three quiet periods no more does. */
  async settlesAt(
    kind: ApiKind,
    name: string,
    expected: number,
    options: { readonly withinMs?: number; readonly quietMs?: number } = {},
  ): Promise<void> {
    const { withinMs = patienceMs, quietMs = 3000 } = options;
    await until(
      `${kind} ${name} has ${expected} rolls`,
      async () => (await this.rolls(kind, name)) >= expected,
      withinMs,
    );
    await holds(
      `${kind} ${name} stays at ${expected} rolls`,
      quietMs,
      async () => (await this.rolls(kind, name)) === expected,
    );
  }

  path(kind: ApiKind, name?: string): string {
    return apiPath(kind, this.namespace, name);
  }
}

/** The kinds whose rolls are counted by the revisions that their controllers make say so in their status. */
function hasBegun(kind: ApiKind, object: unknown): boolean {
  const isCounted = kind === "Deployment" || kind === "StatefulSet" || kind === "DaemonSet";
  return !isCounted || at(object, "status", "observedGeneration") !== undefined;
}

/** The API takes JSON without its type for the kinds that are built in; of custom resources it insists on it. */
function typeOf(kind: ApiKind): object {
  const apiVersion = apiPath(kind).replace(/^\/apis?\/(.+)\/[^/]+$/, "$1");
  return { apiVersion, kind: kind === "KnativeService" ? "Service" : kind };
}

export interface WorkloadOptions {
  readonly annotations?: Data;
  readonly templateAnnotations?: Data;
  readonly spec?: object;
  /** Fields of `spec` beside the template. */
  readonly strategy?: object;
}

export const auto = { "reloader.stakater.com/auto": "true" } as const;

/** A quiet period that a busy machine does not exceed between two changes of one burst, and how long no further roll may come. */
export const unhurried = {
  annotations: { "fleet-reloader.io/debounce": "8s", "fleet-reloader.io/max-wait": "5m" },
  quietMs: 10_000,
} as const;

/** A container that reads whole sources through envFrom. */
export function reads(...sources: readonly (readonly ["ConfigMap" | "Secret", string])[]): object {
  const envFrom = sources.map(([kind, name]) =>
    kind === "ConfigMap" ? { configMapRef: { name } } : { secretRef: { name } },
  );
  return { containers: [{ name: "app", image: "app:1", envFrom }] };
}

function workloadObject(kind: string, name: string, options: WorkloadOptions): object {
  const labels = { app: `${name}-${kind.toLowerCase()}` };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, annotations: options.annotations ?? {} },
    spec: {
      ...(kind === "DaemonSet" ? {} : { replicas: 1 }),
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      ...options.strategy,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          ...(options.templateAnnotations === undefined ? {} : { annotations: options.templateAnnotations }),
        },
        spec: options.spec ?? { containers: [{ name: "app", image: "app:1" }] },
      },
    },
  };
}

function secretsStore(kind: string, metadata: object): object {
  return { apiVersion: "secrets-store.csi.x-k8s.io/v1", kind, metadata };
}

function objectVersions(versions: Data): readonly object[] {
  return Object.entries(versions).map(([id, version]) => ({ id, version }));
}

function encode(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}

/** Times of the API server are whole seconds: what is made within one of the template counts as applied with it. */
export async function laterThanTogether(): Promise<void> {
  await passed(2100);
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === "object" && current !== null && key in current
        ? Object.entries(current).find(([name]) => name === key)?.[1]
        : undefined,
    value,
  );
}

function accepted(result: ApiResult): void {
  if (result.status >= 300)
    throw new Error(`the API server answered ${result.status}: ${JSON.stringify(result.body)}`);
}
