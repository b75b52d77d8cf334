import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Component, startComponent } from "@fleet-reloader/control-plane/component";
import { createLifeline, type Lifeline } from "@fleet-reloader/control-plane/lifeline";
import { ApiClient, type ApiTarget } from "@fleet-reloader/testkit/api-client";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { ensureKeda } from "./programs.ts";

/** The administrator's way to a control plane that has autoscaling. */
export interface ScaledPlane {
  readonly target: ApiTarget;
  readonly kubeconfigPath: string;
}

/** KEDA at work on a control plane. */
export interface Keda extends AsyncDisposable {
  /** Its own log lines: what it did, and why not. */
  readonly log: () => string;
}

const namespace = "keda";
const externalMetrics = "/apis/external.metrics.k8s.io/v1beta1";

/**
 * KEDA's operator and metrics adapter, out of cluster. The API server finds the adapter by an
 * APIService whose Service is the name `localhost`. Resolves when both serve.
 */
export async function startKeda(plane: ScaledPlane): Promise<Keda> {
  const programs = await ensureKeda();
  await using steps = new AsyncDisposableStack();
  const lifeline = steps.use(await createLifeline());
  const client = new ApiClient(plane.target);
  await install(client, programs.definitions);

  const certificates = await writeCertificates(lifeline);
  const ports = {
    metrics: await pickFreePort(),
    health: await pickFreePort(),
    adapter: await pickFreePort(),
  };
  const start = async (name: string, file: string, flags: readonly string[]): Promise<Component> => {
    // By way of `env`: a component inherits our own variables.
    const command = { file: "env", args: [...environment(plane), file] };
    const component = await startComponent({
      name,
      command,
      flags,
      lifeline,
      onUnexpectedEnd: console.error,
    });
    steps.defer(() => component.stop("SIGKILL"));
    return component;
  };
  const operator = await start("keda", programs.operator, [
    `--metrics-service-bind-address=127.0.0.1:${ports.metrics}`,
    `--health-probe-bind-address=127.0.0.1:${ports.health}`,
    "--enable-prometheus-metrics=false",
    `--cert-dir=${certificates}`,
    "--zap-log-level=debug",
  ]);
  const adapter = await start("keda-adapter", programs.adapter, [
    `--secure-port=${ports.adapter}`,
    "--bind-address=127.0.0.1",
    // Of metrics that nobody reads: any port that is free.
    "--port=0",
    `--metrics-service-address=localhost:${ports.metrics}`,
    ...["--lister", "--authentication", "--authorization"].map(
      (what) => `${what}-kubeconfig=${plane.kubeconfigPath}`,
    ),
    `--client-ca-file=${join(certificates, "ca.crt")}`,
    `--tls-cert-file=${join(certificates, "tls.crt")}`,
    `--tls-private-key-file=${join(certificates, "tls.key")}`,
    `--cert-dir=${certificates}`,
  ]);
  await serveExternalMetrics(client, ports.adapter);
  await until("KEDA serves", async () => {
    operator.assertRunning();
    adapter.assertRunning();
    const { ok } = await fetch(`http://127.0.0.1:${ports.health}/readyz`);
    return ok && (await client.send("GET", externalMetrics)).status === 200;
  });
  const running = steps.move();
  return {
    log: () => readFileSync(join(lifeline.directory, "keda.log"), "utf8"),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function environment(plane: ScaledPlane): readonly string[] {
  return [
    `KUBECONFIG=${plane.kubeconfigPath}`,
    // All namespaces.
    "WATCH_NAMESPACE=",
    `POD_NAMESPACE=${namespace}`,
    `KEDA_CLUSTER_OBJECT_NAMESPACE=${namespace}`,
  ];
}

async function install(client: ApiClient, definitions: string): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const create = async (where: string, object: object | string, type?: string): Promise<void> => {
    const { status, body } = await client.send("POST", where, object, type);
    if (status >= 300) throw new Error(`${where} was answered with ${status}: ${JSON.stringify(body)}`);
  };
  for (const file of readdirSync(definitions))
    await create(path, readFileSync(join(definitions, file), "utf8"), "application/yaml");
  await create("/api/v1/namespaces", { metadata: { name: namespace } });
  const spec = { type: "ExternalName", externalName: "localhost" };
  await create(`/api/v1/namespaces/${namespace}/services`, { metadata: { name: "adapter" }, spec });
  for (const plural of [
    "scaledobjects",
    "scaledjobs",
    "triggerauthentications",
    "clustertriggerauthentications",
  ])
    await until(
      `${plural} are served`,
      async () => (await client.send("GET", `/apis/keda.sh/v1alpha1/${plural}`)).status === 200,
    );
}

async function serveExternalMetrics(client: ApiClient, port: number): Promise<void> {
  const [, , group = "", version = ""] = externalMetrics.split("/");
  const service = { namespace, name: "adapter", port };
  const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
  const { status, body } = await client.send("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: `${version}.${group}` },
    // Its certificate is made for `localhost`, and the API server asks for `adapter.keda.svc`.
    spec: { group, version, service, ...priorities, insecureSkipTLSVerify: true },
  });
  if (status !== 201) throw new Error(`the APIService was answered with ${status}: ${JSON.stringify(body)}`);
}

/** One certificate for both, which is its own authority: they show it to each other. */
async function writeCertificates({ directory }: Lifeline): Promise<string> {
  const { certificatePem, keyPem } = createLoopbackCertificate();
  await writeFile(join(directory, "ca.crt"), certificatePem);
  await writeFile(join(directory, "tls.crt"), certificatePem);
  await writeFile(join(directory, "tls.key"), keyPem, { mode: 0o600 });
  return directory;
}
