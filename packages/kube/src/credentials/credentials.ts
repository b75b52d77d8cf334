import { createHash } from "node:crypto";
import type { RequestOptions } from "node:https";
import { availableParallelism } from "node:os";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import { KubeConfig } from "@kubernetes/client-node";
import { text } from "../json.ts";
import { askPlugin, type PluginCredential } from "./exec-plugin.ts";
import { shownCommand } from "./exec-policy.ts";
import type { ClusterTarget } from "./kubeconfig.ts";
import { leadsOutOf, namedFileProblem } from "./named-file.ts";

/** The credentials of a request and its connection. Held in memory only. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
  /** A digest, since there may be a private key. It changes exactly when the TLS material does; then the pools are rebuilt. */
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
/** A plugin calls its cloud, which takes a second or two. A plugin that takes longer hangs, and requests stop waiting for it. */
const loadTimeoutMs = 10_000;
/** A plugin takes a second of a core. Without a limit all would be slow when the tokens of many clusters expire together. */
const pluginsAtOnce = 2 * Math.max(2, availableParallelism());
/** After this the next plugin may start, although a slow one still runs. */
const pluginTurnMs = 2000;
/** A plugin that is started again at once returns the same credential. A cluster that refuses us must not start it for each request. */
const askAgainAfterMs = 10_000;

/** One semaphore for each clock, which means for each process: its clusters share the cores. */
const turnsOfPlugins = new WeakMap<Clock, Semaphore>();

function pluginTurns(clock: Clock): Semaphore {
  const known = turnsOfPlugins.get(clock);
  if (known !== undefined) return known;
  const turns = new Semaphore({ atOnce: pluginsAtOnce, longestMs: pluginTurnMs, clock });
  turnsOfPlugins.set(clock, turns);
  return turns;
}

/**
 * Credentials of one cluster. client-node reads its files again once a minute and after a 401; after a 401 we also read the kubeconfig again. A
 * plugin is started when its credential has expired. One load at a time serves all waiting requests.
 */
export class Credentials {
  readonly #target: ClusterTarget;
  readonly #plugin: unknown;
  #config: KubeConfig;
  readonly #clock: Clock;
  readonly #lifetime = new AbortController();
  #current: { readonly identity: Identity; readonly untilMs: number } | undefined;
  #pending: Promise<Identity> | undefined;
  /** Kept until it expires, if ever, since starting a plugin is expensive. */
  #given: PluginCredential | undefined;
  #givenAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(target: ClusterTarget, clock: Clock) {
    this.#target = target;
    this.#plugin = target.config.getCurrentUser()?.exec ?? undefined;
    this.#config = this.#plugin === undefined ? target.config : withoutPlugin(target.config);
    this.#clock = clock;
  }

  async get(signal: AbortSignal): Promise<Identity> {
    if (this.#current !== undefined && this.#clock.monotonic() < this.#current.untilMs)
      return this.#current.identity;
    this.#pending ??= this.#load().finally(() => {
      this.#pending = undefined;
    });
    return await unlessAborted(this.#pending, signal, "credentials");
  }

  /**
   * The server refused these credentials: the next request loads them again, unless that has happened meanwhile. client-node caches what it read
   * from a token file, so a new KubeConfig is used. A plugin that ran a moment ago is not started again.
   */
  invalidate(refused: Identity): void {
    if (this.#current === undefined || !isSame(this.#current.identity, refused)) return;
    this.#current = undefined;
    if (this.#clock.monotonic() - this.#givenAt >= askAgainAfterMs) this.#given = undefined;
    this.#renew();
    this.#config = withoutPlugin(this.#target.config);
  }

  /** A cluster that refuses us must not have the kubeconfig read for each request. */
  #renew(): void {
    const at = this.#clock.monotonic();
    if (at - this.#renewedAt < askAgainAfterMs) return;
    this.#renewedAt = at;
    this.#target.renew?.();
  }

  /** Rejects all waiting requests and stops a running plugin. */
  close(): void {
    this.#lifetime.abort();
  }

  /** A plugin waits for its turn; its timeout starts only then. */
  async #load(): Promise<Identity> {
    if (!this.#mustAskPlugin) return await this.#loadNow();
    const endTurn = await pluginTurns(this.#clock)
      .take(this.#lifetime.signal)
      .catch(() => {
        throw stoppedWaiting();
      });
    return await this.#loadNow().finally(endTurn);
  }

  async #loadNow(): Promise<Identity> {
    const config = this.#config;
    using late = linkedAbort(this.#lifetime.signal);
    const loaded = new AbortController();
    this.#clock.sleep(loadTimeoutMs, loaded.signal).then(late.abort, () => undefined);
    try {
      const options = await unlessAborted(this.#ask(config, late.signal), late.signal, "credentials");
      const identity = identityOf(options);
      // Credentials that were refused meanwhile are not kept.
      if (config === this.#config)
        this.#current = { identity, untilMs: this.#clock.monotonic() + this.#keptMs };
      return identity;
    } catch (error) {
      if (this.#lifetime.signal.aborted) throw stoppedWaiting();
      const why = late.signal.aborted
        ? `${pluginOf(this.#target)} did not answer within ${loadTimeoutMs / 1000} s`
        : reasonOf(error, this.#target);
      throw new Fault(
        "kube.unauthorized",
        `credentials of context ${this.#target.name} cannot be obtained: ${why}`,
        { context: { server: this.#target.server } },
      );
    } finally {
      loaded.abort();
    }
  }

  async #ask(config: KubeConfig, signal: AbortSignal): Promise<RequestOptions> {
    const options: RequestOptions = { headers: {} };
    if (this.#plugin !== undefined) {
      const { certificate, key, token } = await this.#askPlugin(config, signal);
      if (token !== "") options.headers = { Authorization: `Bearer ${token}` };
      if (certificate !== "") options.cert = certificate;
      if (key !== "") options.key = key;
    }
    // Check immediately before client-node reads: a plugin takes time, or may itself put a link there.
    this.#refuseFiles();
    await config.applyToHTTPSOptions(options);
    return options;
  }

  /** Checks before each read: a file may have become a link or a pipe since its registration. */
  #refuseFiles(): void {
    const { filesBelow } = this.#target;
    if (filesBelow === undefined) return;
    for (const [field, file] of filesOf(this.#target)) {
      if (leadsOutOf(filesBelow, file))
        throw new Fault(
          "kube.unauthorized",
          `a file lies outside of ${filesBelow}; put it below that folder`,
        );
      const problem = namedFileProblem(file);
      if (problem !== undefined) throw new Fault("kube.unauthorized", `${field} ${file} ${problem}`);
    }
  }

  /** Not much longer than the plugin says, but long enough that a plugin with expired answers is not started for each request. */
  get #keptMs(): number {
    const leftMs = (this.#given?.expiresAtMs ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    return Math.min(refreshAfterMs, Math.max(askAgainAfterMs, leftMs));
  }

  get #mustAskPlugin(): boolean {
    if (this.#plugin === undefined) return false;
    const known = this.#given;
    return known === undefined || (known.expiresAtMs ?? Number.POSITIVE_INFINITY) <= this.#clock.now();
  }

  async #askPlugin(config: KubeConfig, signal: AbortSignal): Promise<PluginCredential> {
    const known = this.#given;
    if (known !== undefined && !this.#mustAskPlugin) return known;
    const answer = await askPlugin(this.#plugin, this.#target.config.getCurrentCluster(), signal);
    if ("problem" in answer) throw new Fault("kube.unauthorized", answer.problem);
    if (config === this.#config) {
      this.#given = answer;
      this.#givenAt = this.#clock.monotonic();
    }
    return answer;
  }
}

/** The files that client-node reads for a target, each with its field in the kubeconfig. */
function filesOf({ config }: ClusterTarget): readonly (readonly [string, string])[] {
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  const files: readonly (readonly [string, string | undefined])[] = [
    ["certificate-authority", cluster?.caFile],
    ["client-certificate", user?.certFile],
    ["client-key", user?.keyFile],
    ["tokenFile", text(user, "authProvider", "config", "tokenFile")],
  ];
  return files.flatMap(([field, file]) => (file ? [[field, file]] : []));
}

function stoppedWaiting(): Fault {
  return new Fault("engine.aborted", "stopped while waiting for credentials");
}

/** Whether the server answers requests with either identity alike. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.headers.authorization === other.headers.authorization && one.tlsKey === other.tlsKey;
}

/** client-node handles everything except plugins, which we start ourselves. */
function withoutPlugin({ clusters, users, contexts, currentContext }: KubeConfig): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters,
    contexts,
    currentContext,
    users: users.map(({ exec: _exec, ...user }) => user),
  });
  return config;
}

/**
 * What went wrong, in our own words: other messages may quote what they read, which is a credential. The error code of the operating system and
 * the name of the file are no secrets.
 */
function reasonOf(error: unknown, target: ClusterTarget): string {
  if (error instanceof Fault) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !/^E[A-Z0-9]+$/.test(code)) return `${pluginOf(target)} failed`;
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return `${typeof path === "string" ? path : "a file"} cannot be read (${code})`;
}

function pluginOf({ config }: ClusterTarget): string {
  const user = config.getCurrentUser();
  const command = text(user, "exec", "command");
  return command === ""
    ? `the source of credentials (${user?.authProvider?.name ?? "the kubeconfig"})`
    : `its plugin ${shownCommand(command)}`;
}

function identityOf(options: RequestOptions): Identity {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // client-node sets its own User-Agent; a token file's trailing newline would make an invalid header.
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
  return { headers, tls, tlsKey: createHash("sha256").update(JSON.stringify(tls)).digest("hex") };
}

function pem(name: "ca" | "cert" | "key", value: unknown): TlsMaterial {
  if (typeof value === "string") return { [name]: value };
  if (Buffer.isBuffer(value)) return { [name]: value.toString("utf8") };
  return {};
}
