import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { Fault } from "@fleet-reloader/domain/fault";

interface TokenOwner {
  readonly cluster: string;
  readonly digest: Buffer;
}

/** Whose requests are accepted, by credential alone: neither path nor body says which cluster a request is about. */
export class AuditCredentials {
  readonly #owners: readonly TokenOwner[];

  /** Faults with `config.invalid` for a line that names no cluster and digest. `where` is for people. */
  constructor(tokens: string, where: string) {
    this.#owners = tokens.split("\n").flatMap((text, at) => {
      const line = text.trim();
      return line === "" || line.startsWith("#") ? [] : [readOwner(line, `${where}: line ${at + 1}`)];
    });
  }

  /** The name of the cluster; undefined: the credential is missing or unknown. */
  clusterOf(request: IncomingMessage): string | undefined {
    return certifiedCluster(request) ?? this.#tokenCluster(request.headers.authorization ?? "");
  }

  /** Compares with every digest in constant time, and does not stop at the one that fits. */
  #tokenCluster(authorization: string): string | undefined {
    const [, token = ""] = /^bearer (\S{1,4096})$/i.exec(authorization) ?? [];
    const digest = createHash("sha256").update(token).digest();
    let found: string | undefined;
    for (const owner of this.#owners) if (timingSafeEqual(owner.digest, digest)) found = owner.cluster;
    return token === "" ? undefined : found;
  }
}

function readOwner(line: string, where: string): TokenOwner {
  const [, cluster, hex] = /^(\S+)\s+sha256:([0-9a-f]{64})$/i.exec(line) ?? [];
  if (cluster !== undefined && hex !== undefined) return { cluster, digest: Buffer.from(hex, "hex") };
  throw new Fault(
    "config.invalid",
    `${where} is not CLUSTER sha256:HEX; make it with: printf %s "$TOKEN" | sha256sum`,
  );
}

/** The common name of a certificate that the authority signed. */
function certifiedCluster({ socket }: IncomingMessage): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const name = subject?.CN;
  return typeof name === "string" && name !== "" ? name : undefined;
}
