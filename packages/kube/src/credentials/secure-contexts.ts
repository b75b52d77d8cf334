import { createHash } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Identity, TlsMaterial } from "./credentials.ts";

/**
 * Keyed by a digest of the TLS material, which may hold a private key. Entries live only as long as a connection needs them: certificates are
 * renewed.
 */
const contexts = new Map<string, WeakRef<SecureContext>>();
const forgetContext = new FinalizationRegistry<string>((key) => {
  if (contexts.get(key)?.deref() === undefined) contexts.delete(key);
});

/**
 * The parsed certificates of an identity: some 35 KiB, which Node would otherwise create for each connection. Unusable material is a fault that
 * names it.
 */
export function secureContextOf({ tls: { ca, cert, key } }: Identity): SecureContext {
  const material = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  const name = createHash("sha256").update(JSON.stringify(material)).digest("hex");
  const known = contexts.get(name)?.deref();
  if (known !== undefined) return known;
  const context = made(material) ?? refuseAll(material);
  contexts.set(name, new WeakRef(context));
  forgetContext.register(context, name);
  return context;
}

function made(material: TlsMaterial): SecureContext | undefined {
  try {
    return createSecureContext(material);
  } catch {
    return undefined;
  }
}

/** In our own words, since other messages may quote a private key. */
function refuseAll({ cert, key }: TlsMaterial): never {
  const why =
    (cert !== undefined &&
      made({ cert }) === undefined &&
      "the client certificate is not a certificate; expected PEM") ||
    (key !== undefined &&
      made({ key }) === undefined &&
      "the client key is not a private key, or it has a passphrase; expected PEM") ||
    "the client key does not belong to the client certificate";
  throw new Fault("kube.unauthorized", `the credentials cannot be used: ${why}`);
}
