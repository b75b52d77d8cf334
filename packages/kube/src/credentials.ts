import type { RequestOptions } from "node:https";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import { KubeConfig } from "@kubernetes/client-node";
import type { ClusterTarget } from "./kubeconfig.ts";

/** What a request and its connection must carry. Held in memory only. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
  /** Changes exactly when the TLS material does: pools are rebuilt then. */
  readonly tlsKey: string;
}

export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Token files rotate well before they expire; client-node itself re-reads them after 60 s. */
const refreshAfterMs = 60_000;

/**
 * Credentials of one cluster, asked of client-node once a minute and after a 401, never concurrently: an exec plugin
 * would otherwise be started once per waiting request.
 */
export class Credentials {
  readonly #target: ClusterTarget;
  #config: KubeConfig;
  readonly #clock: Clock;
  #current: { identity: Identity; at: number } | undefined;
  #pending: Promise<Identity> | undefined;

  constructor(target: ClusterTarget, clock: Clock) {
    this.#target = target;
    this.#config = target.config;
    this.#clock = clock;
  }

  async get(): Promise<Identity> {
    if (this.#current !== undefined && this.#clock.monotonic() - this.#current.at < refreshAfterMs) {
      return this.#current.identity;
    }
    this.#pending ??= this.#load().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * The server refused them: ask again before the next request. client-node keeps what a plugin or a token file gave until
   * it expires, if ever; a new KubeConfig has kept nothing.
   */
  invalidate(): void {
    this.#current = undefined;
    const { clusters, users, contexts, currentContext } = this.#config;
    this.#config = new KubeConfig();
    this.#config.loadFromOptions({ clusters, users, contexts, currentContext });
  }

  async #load(): Promise<Identity> {
    const options: RequestOptions = {};
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new Fault(
        "kube.unauthorized",
        `credentials of context ${this.#target.name} cannot be had: ${reasonOf(error)}`,
        { context: { server: this.#target.server } },
      );
    }
    const identity = identityOf(options);
    this.#current = { identity, at: this.#clock.monotonic() };
    return identity;
  }
}

/** The words for broken JSON quote it, and what a plugin answers is a credential: neither they nor the error are passed on. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "what its plugin answered is no JSON";
  return error instanceof Error ? error.message : "unknown";
}

function identityOf(options: RequestOptions): Identity {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // client-node names itself as User-Agent; a token file's trailing newline would make an invalid header.
    if (typeof value === "string" && name.toLowerCase() !== "user-agent")
      headers[name.toLowerCase()] = value.trim();
  }
  if (typeof options.auth === "string") {
    headers.authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  }
  const tls: TlsMaterial = {
    ...pem("ca", options.ca),
    ...pem("cert", options.cert),
    ...pem("key", options.key),
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    ...(options.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: options.rejectUnauthorized }),
  };
  return { headers, tls, tlsKey: JSON.stringify(tls) };
}

function pem(name: "ca" | "cert" | "key", value: unknown): TlsMaterial {
  if (typeof value === "string") return { [name]: value };
  if (Buffer.isBuffer(value)) return { [name]: value.toString("utf8") };
  return {};
}
