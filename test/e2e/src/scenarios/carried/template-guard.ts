import { once } from "node:events";
import { createServer } from "node:https";
import type { ApiClient } from "@fleet-reloader/testkit/api-client";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { at as field, type Site } from "../../site.ts";

/** An admission webhook of one namespace that takes every edit of a Deployment's pod template out, and lets the rest through. */
export interface TemplateGuard extends AsyncDisposable {
  /** Deployments with an edit that it has taken out. */
  readonly undone: number;
  /** From now on it lets everything through. */
  mend(): void;
}

const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** Resolves when the API server asks it, which it can be told of a Deployment that is there. */
export async function startTemplateGuard(
  client: ApiClient,
  at: Site,
  deployment: string,
): Promise<TemplateGuard> {
  const undone = new Set<unknown>();
  let isMended = false;
  const { keyPem, certificatePem } = createLoopbackCertificate();
  const server = createServer({ key: keyPem, cert: certificatePem }, async (incoming, outgoing) => {
    const review: unknown = JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8"));
    const patch = isMended ? undefined : undoing(review);
    if (patch !== undefined && field(review, "request", "dryRun") !== true)
      undone.add(field(review, "request", "name"));
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify(answer(review, patch)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const name = `${at.namespace}.example.com`;
  await client.send("POST", configurations, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name,
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(certificatePem).toString("base64"),
        },
        rules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["deployments"] },
        ],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": at.namespace } },
        ...{ sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 5 },
      },
    ],
  });
  await until("the API server asks the webhook", async () => {
    const edit = { spec: { template: { metadata: { annotations: { probe: "1" } } } } };
    const path = `${at.path("Deployment", deployment)}?dryRun=All`;
    const { status, body } = await client.send("PATCH", path, edit, "application/merge-patch+json");
    return (
      status === 200 && field(body, "spec", "template", "metadata", "annotations", "probe") === undefined
    );
  });
  return {
    get undone() {
      return undone.size;
    },
    mend: () => {
      isMended = true;
    },
    [Symbol.asyncDispose]: async () => {
      await client.send("DELETE", `${configurations}/${name}`);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What puts the template back as it was; undefined when it is as it was. */
function undoing(review: unknown): object | undefined {
  const before = field(review, "request", "oldObject", "spec", "template");
  const wanted = field(review, "request", "object", "spec", "template");
  if (JSON.stringify(before) === JSON.stringify(wanted)) return undefined;
  return [{ op: "replace", path: "/spec/template", value: before }];
}

function answer(review: unknown, patch: object | undefined): object {
  const patched =
    patch === undefined
      ? {}
      : { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: field(review, "request", "uid"), allowed: true, ...patched },
  };
}
