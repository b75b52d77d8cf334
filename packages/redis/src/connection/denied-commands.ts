import { createHash } from "node:crypto";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Cluster, type Command, type Redis, type RedisOptions } from "ioredis";

/** How Redis refuses a command or a key, and either inside of a script: in 7.0, and in later versions and Valkey. */
const denial = /^(NOPERM |ERR The user executing the script can't |ERR ACL failure in script)/;

/** How Redis refuses for a while what it would do otherwise: it has no memory or disk left or too few replicas, loads, or has lost or changed its master. */
const refusal = /^(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN) /;

/**
 * Translates what Redis refuses into faults. For a while: `redis.unavailable`, in the words of Redis, since ioredis goes by these itself.
 *
 * Commands that the user of this process may not run. Each is a fault `redis.unsuitable` that names the user, the command and the mend. It
 * is logged when it is denied for the first time, or for the first time after it was allowed: much of what fails in the background is not told of otherwise.
 */
export class DeniedCommands {
  readonly #log: Log;
  /** Kind of command → what is wrong. Until it is allowed again. */
  readonly #problems = new Map<string, string>();
  /** How each command is rejected since it is listened to: one that is sent again is listened to already. */
  readonly #listened = new WeakMap<Command, Command["reject"]>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A line for each command that was denied when it was tried last. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** From here on what this connection, its nodes and its copies are denied is known. The queue makes copies for commands that block. */
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

/** What one command of a transaction answers. */
function faultIfRefused(answer: unknown): unknown {
  return answer instanceof Error && refusal.test(answer.message) ? refusedForNow(answer) : answer;
}

/** A user without any rights is denied everything: what is known then says enough. */
const problemsMax = 50;

/** Commands that are allowed or denied together. A script is sent by its digest, or as the text that the digest is of. */
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

/** The first key: of a script it comes after the digest, or the text, and the number of keys. */
function deniedKey(name: string, args: Command["args"]): string | undefined {
  const key = args[/^eval/.test(name) ? 2 : 0];
  return typeof key === "string" && key.startsWith("{") ? key : undefined;
}
