import { secret, workload } from "./manifest.ts";

/** seeds/000 and 001: cert-manager renews the certificate that a gateway has loaded at its start. */
const namespace = "gateway";
export const gatewayWorkload = { kind: "Deployment", namespace, name: "console-gateway" } as const;
export const certificateSecret = { namespace, name: "console-tls" } as const;

export const gatewaySeed: readonly object[] = [
  certificate("serial-1"),
  workload({
    ...gatewayWorkload,
    replicas: 2,
    annotations: { "secret.reloader.stakater.com/auto": "true" },
    volumes: [{ name: "tls", secret: { secretName: certificateSecret.name } }],
    image: "envoyproxy/envoy:v1.34.1",
  }),
];

/** What the issuing controller writes when a certificate is ready, all keys in one update. */
export function certificate(serial: string): object {
  return secret(
    namespace,
    certificateSecret.name,
    { "tls.crt": `certificate ${serial}`, "tls.key": `key of ${serial}`, "ca.crt": "authority" },
    {
      type: "kubernetes.io/tls",
      labels: { "controller.cert-manager.io/fao": "true" },
      annotations: { "cert-manager.io/certificate-name": certificateSecret.name },
    },
  );
}

/** The private key cert-manager keeps apart until the certificate is signed; nobody mounts it. */
export const nextPrivateKey = secret(
  namespace,
  "console-tls-7k2mq",
  { "tls.key": "key of serial-2" },
  {
    labels: { "cert-manager.io/next-private-key": "true" },
  },
);
