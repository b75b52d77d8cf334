import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { Fault } from "@fleet-reloader/domain/fault";
import { bearerToken, ownerOfToken, readTokenDigest } from "../access/token-digest.ts";
import { firehoseKey } from "./audit-delivery.ts";

interface TokenOwner {
  readonly cluster: string;
  readonly digest: Buffer;
}

/** The credentials of accepted senders. Only the credential identifies the cluster, neither the path nor the body. */
export class AuditCredentials {
  readonly #owners: readonly TokenOwner[];

  /** Faults with `config.invalid` for a line without a cluster and digest. `where` names the file for people. */
  constructor(tokens: string, where: string) {
    this.#owners = tokens.split("\n").flatMap((text, at) => {
      const line = text.trim();
      return line === "" || line.startsWith("#") ? [] : [readOwner(line, `${where}: line ${at + 1}`)];
    });
  }

  /** The name of the cluster; undefined: the credential is missing or unknown. */
  clusterOf(request: IncomingMessage): string | undefined {
    const certified = certifiedCluster(request);
    if (certified !== undefined) return certified;
    const token = bearerToken(request) ?? firehoseKey(request);
    return token === undefined ? undefined : ownerOfToken(this.#owners, token)?.cluster;
  }
}

function readOwner(line: string, where: string): TokenOwner {
  const [, cluster, text = ""] = /^(\S+)\s+(\S+)$/.exec(line) ?? [];
  const digest = readTokenDigest(text);
  if (cluster !== undefined && digest !== undefined) return { cluster, digest };
  throw new Fault(
    "config.invalid",
    `${where} is not CLUSTER sha256:HEX; make it with: printf %s "$TOKEN" | sha256sum`,
  );
}

/** The common name of a certificate that our authority signed. */
function certifiedCluster({ socket }: IncomingMessage): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const name = subject?.CN;
  return typeof name === "string" && name !== "" ? name : undefined;
}
