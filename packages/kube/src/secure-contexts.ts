import { createHash } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Identity } from "./credentials.ts";

/** By a digest of the TLS material, which may hold a private key, and only as long as a connection needs them: certificates are renewed. */
const contexts = new Map<string, WeakRef<SecureContext>>();
const forget = new FinalizationRegistry<string>((key) => {
  if (contexts.get(key)?.deref() === undefined) contexts.delete(key);
});

/** The parsed certificates of an identity: some 35 KiB, which Node would make for each connection anew. */
export function secureContextOf({ tls: { ca, cert, key } }: Identity): SecureContext {
  const material = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  const name = createHash("sha256").update(JSON.stringify(material)).digest("hex");
  const known = contexts.get(name)?.deref();
  if (known !== undefined) return known;
  const context = createSecureContext(material);
  contexts.set(name, new WeakRef(context));
  forget.register(context, name);
  return context;
}
