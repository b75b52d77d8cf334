import { createHash } from "node:crypto";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Cluster, type Command, type Redis, type RedisOptions } from "ioredis";

/** Messages of a denied command or key, also inside a script: those of Redis 7.0, and those of later versions and Valkey. */
const denial = /^(NOPERM |ERR The user executing the script can't |ERR ACL failure in script)/;

/** Messages of a temporary refusal: Redis has no memory, no disk or too few replicas, is loading, or has lost or changed its master. */
const refusal = /^(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN) /;

/**
 * Translates refusals of Redis into faults. A temporary refusal becomes `redis.unavailable` and keeps the message of Redis, since ioredis reads
 * it.
 *
 * A command that the user of this process may not run becomes `redis.unsuitable`, which names the user, the command and the mend. The first
 * denial is logged, and the first one after a success: many failures in the background appear nowhere else.
 */
export class DeniedCommands {
  readonly #log: Log;
  /** Kind of command → what is wrong, until it is allowed again. */
  readonly #problems = new Map<string, string>();
  /** The `reject` that we installed on each command: a command that is sent again already has it. */
  readonly #listened = new WeakMap<Command, Command["reject"]>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** One line for each command whose last attempt was denied. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** From now on records denials on this connection, its nodes and its copies. The queue makes copies for blocking commands. */
  watch(connection: Redis | Cluster): void {
    if (connection instanceof Cluster) {
      connection.on("+node", (node: Redis) => this.#watchServer(node));
      const copy = connection.duplicate.bind(connection);
      connection.duplicate = (...given) => this.#watched(copy(...given));
    } else {
      this.#watchServer(connection);
      const copy: (options?: RedisOptions) => Redis = connection.duplicate.bind(connection);
      connection.duplicate = ((options?: RedisOptions) => this.#watched(copy(options))) as Redis["duplicate"];
    }
  }

  #watched<T extends Redis | Cluster>(connection: T): T {
    this.watch(connection);
    return connection;
  }

  #watchServer(server: Redis): void {
    const send = server.sendCommand.bind(server);
    server.sendCommand = (command, stream) => {
      this.#listen(command, server.options.username ?? "default");
      return send(command, stream);
    };
  }

  #listen(command: Command, user: string): void {
    const { reject, resolve } = command;
    if (this.#listened.get(command) === reject) return;
    command.reject = (error) => reject(this.#faultOf(error, command, user) ?? error);
    this.#listened.set(command, command.reject);
    const isTransaction = command.name === "exec";
    if (this.#problems.size === 0 && !isTransaction) return;
    command.resolve = (result) => {
      this.#problems.delete(kindOf(command));
      resolve(isTransaction && Array.isArray(result) ? result.map(faultIfRefused) : result);
    };
  }

  #faultOf(error: Error, command: Command, user: string): Fault | undefined {
    if (refusal.test(error.message)) return refusedForNow(error);
    if (!denial.test(error.message)) return undefined;
    const { name, args } = command;
    const words = deniedProblem({ user, name, args, said: error.message });
    const kind = kindOf(command);
    if (!this.#problems.has(kind) && this.#problems.size < problemsMax) {
      this.#problems.set(kind, `redis: ${words}`);
      this.#log.error({ reason: "redis.unsuitable" }, words);
    }
    return new Fault("redis.unsuitable", `--redis-url: ${words}`, { cause: error });
  }
}

function refusedForNow(error: Error): Fault {
  return new Fault("redis.unavailable", error.message, { cause: error });
}

/** The answer of one command of a transaction. */
function faultIfRefused(answer: unknown): unknown {
  return answer instanceof Error && refusal.test(answer.message) ? refusedForNow(answer) : answer;
}

/** A user without rights is denied everything; this many problems say enough. */
const problemsMax = 50;

/** Commands that are allowed or denied together. A script is sent as its digest or as its text; both give the same kind. */
function kindOf({ name, args }: Command): string {
  const [script] = args;
  const digest = /^eval(_ro)?$/.test(name) ? createHash("sha1").update(String(script)).digest("hex") : script;
  const what = name.startsWith("eval") ? String(digest) : name;
  const key = deniedKey(name, args)
    ?.replace(/:c:[^:]+:/, ":c:*:")
    .replace(/:\d+/g, ":*");
  return `${what} ${key}`;
}

interface DeniedCommand {
  readonly user: string;
  readonly name: string;
  readonly args: Command["args"];
  readonly said: string;
}

function deniedProblem({ user, name, args, said }: DeniedCommand): string {
  const key = deniedKey(name, args);
  const what = `${name.toUpperCase()}${key === undefined ? "" : ` on ${key}`}`;
  return `the user ${user} may not run ${what} (${said}); give it the commands and keys of its role, see docs/reference/redis-users.md`;
}

/** The first key. In a script call it follows the digest or text and the number of keys. */
function deniedKey(name: string, args: Command["args"]): string | undefined {
  const key = args[/^eval/.test(name) ? 2 : 0];
  return typeof key === "string" && key.startsWith("{") ? key : undefined;
}
