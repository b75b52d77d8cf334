/**
 * The one catalogue of faults. Adapters translate foreign errors into one of these in their `to-fault.ts`;
 * nothing else reads status codes. Expected outcomes (a workload that is gone, a hold) are values, not faults.
 */
export type FaultClass =
  | "transient"
  | "throttled"
  | "conflict"
  | "denied"
  | "unreachable"
  | "invalid"
  | "misconfigured"
  | "aborted"
  | "invariant";

/** What the queue does with a request that ended in a fault of this class. */
export interface Disposition {
  /** `retry`: back off and count the attempt. `delay`: wait without using up an attempt. `drop`: acknowledge, explain. */
  readonly queue: "retry" | "delay" | "drop";
  readonly level: "debug" | "warn" | "error";
}

export const dispositions: Readonly<Record<FaultClass, Disposition>> = {
  transient: { queue: "retry", level: "warn" },
  throttled: { queue: "delay", level: "debug" },
  conflict: { queue: "retry", level: "debug" },
  denied: { queue: "delay", level: "error" },
  unreachable: { queue: "delay", level: "warn" },
  invalid: { queue: "drop", level: "error" },
  misconfigured: { queue: "delay", level: "error" },
  aborted: { queue: "delay", level: "debug" },
  invariant: { queue: "retry", level: "error" },
};

interface FaultEntry {
  readonly class: FaultClass;
  readonly meaning: string;
  readonly mend: string;
}

/** Code → meaning and mend. The operator's page `docs/reference/faults.md` is generated from this table. */
export const faultCatalogue = {
  "kube.conflict": {
    class: "conflict",
    meaning: "The workload changed between our read and our write.",
    mend: "None needed: we read and decide again.",
  },
  "kube.exists": {
    class: "conflict",
    meaning: "An object of the name that we create already exists.",
    mend: "None needed: the name is unique for each change, so it is the same object.",
  },
  "kube.forbidden": {
    class: "denied",
    meaning: "The API server refuses this verb on this resource to our identity.",
    mend: "Grant the verb named in the message. The chart and infra/manifests grant all of them.",
  },
  "kube.unauthorized": {
    class: "denied",
    meaning: "The API server does not accept our credentials.",
    mend: "Renew the token or certificate of the kubeconfig's user.",
  },
  "kube.throttled": {
    class: "throttled",
    meaning: "The API server asks us to wait (429).",
    mend: "None needed: we wait as long as it says.",
  },
  "kube.server-error": {
    class: "transient",
    meaning: "The API server failed to answer the request (5xx).",
    mend: "None needed unless it lasts. Then check the API server.",
  },
  "kube.unreachable": {
    class: "unreachable",
    meaning: "The API server cannot be reached: name, port, TLS or network.",
    mend: "Check the server address of the kubeconfig and the route to it.",
  },
  "kube.replaced": {
    class: "unreachable",
    meaning:
      "Another cluster answers at the address: the cluster was rebuilt, or the address belongs to another one now. No work for the old cluster is done on it.",
    mend: "None needed: it is engaged as a new cluster, and nothing rolls for it.",
  },
  "kube.timeout": {
    class: "transient",
    meaning: "The API server accepted the request and did not answer in time. Its outcome is unknown.",
    mend: "None needed: marks depend on content only, so a repeat is harmless.",
  },
  "kube.rejected": {
    class: "transient",
    meaning: "The API server, a quota or an admission webhook refuses the content of our write.",
    mend: "Read the message of the API server. The write is retried, finally every 5 minutes, until it is accepted.",
  },
  "kube.expired": {
    class: "transient",
    meaning: "The resource version we asked for is no longer in the API server's history (410).",
    mend: "None needed: we list and compare.",
  },
  "kube.malformed": {
    class: "transient",
    meaning: "A line of a watch or a body could not be read. Nothing is skipped: we list and compare.",
    mend: "If it repeats, look for a proxy that truncates or rewrites responses.",
  },
  "redis.unavailable": {
    class: "transient",
    meaning:
      "Redis does not answer, or refuses for now: it has no memory or disk left, loads its data, or fails over.",
    mend: "Check the Redis address and process, its memory and its disk. Nothing is lost: the watch waits and then compares.",
  },
  "redis.state-lost": {
    class: "transient",
    meaning: "Redis came back without our state (flushed, replaced, rolled back).",
    mend: "None needed: everything is listed and compared, and nothing rolls for it.",
  },
  "redis.unsuitable": {
    class: "misconfigured",
    meaning:
      "This Redis cannot be used: it is too old, evicts keys, or refuses our user or one of its commands.",
    mend: "Use Redis ≥ 7.0 or Valkey with maxmemory-policy noeviction. The message says what is wrong.",
  },
  "notify.rejected": {
    class: "invalid",
    meaning:
      "The receiver of an alert or webhook refuses it (4xx) or redirects. The notification is lost; the roll is not affected.",
    mend: "Check the address and the kind of sink. The webhook of a chat may have been revoked.",
  },
  "notify.unavailable": {
    class: "transient",
    meaning:
      "The receiver of an alert or webhook cannot be reached or fails (5xx, 429). The notification is retried a few times and then dropped.",
    mend: "Check that the worker can reach the address or the proxy. Rolls do not wait for it.",
  },
  "config.invalid": {
    class: "misconfigured",
    meaning: "One of our flags, environment variables or files cannot be used.",
    mend: "The message names the field, the value and the mend.",
  },
  "request.invalid": {
    class: "invalid",
    meaning: "A queue entry does not name a workload.",
    mend: "Another program writes to our queue. The entry is dropped.",
  },
  "question.invalid": {
    class: "invalid",
    meaning: "A question to the API or on the page names something that there is not, or is not understood.",
    mend: "Check the spelling of the value that the answer names, or leave the filter out.",
  },
  "access.unauthenticated": {
    class: "denied",
    meaning: "A question or an act comes from nobody whom the access file knows.",
    mend: "Sign in at /sign-in, or send a token that is in the access file. Whoever keeps the file can add one.",
  },
  "access.forbidden": {
    class: "denied",
    meaning:
      "The access file does not grant this to the caller, or the request comes from the page of another site.",
    mend: "Ask whoever keeps the access file for the role and the place that the answer names.",
  },
  "access.throttled": {
    class: "throttled",
    meaning: "Too many sign-ins from one address have failed.",
    mend: "Wait a minute, then sign in with a token that is in the access file.",
  },
  "act.unknown": {
    class: "transient",
    meaning:
      "An act of a person began, and no answer says how it ended. It may have been done, or may still be.",
    mend: "Look at the history before you act again: it names each act that was done.",
  },
  "server.unreachable": {
    class: "unreachable",
    meaning: "The server of --server cannot be reached, or does not answer in time.",
    mend: "Check the address, the route to it and its certificate.",
  },
  "server.foreign": {
    class: "unreachable",
    meaning: "What answers at the address of --server is not fleet-reloader, or another version of it.",
    mend: "Give the address of --dashboard-address. A proxy in front must pass answers on as they are.",
  },
  "access.issuer-unavailable": {
    class: "unreachable",
    meaning: "Nobody can sign in with the OpenID Connect issuer now: it is not reached, or it refuses us.",
    mend: "The message says what failed. Tokens and sessions that exist go on; signing in is tried again with the next person.",
  },
  "engine.aborted": {
    class: "aborted",
    meaning: "The process stops and returns the work to the queue untouched.",
    mend: "None needed.",
  },
  "engine.overloaded": {
    class: "throttled",
    meaning:
      "Too many of our own calls to a cluster were under way, so this one got no connection within 10 s. The cluster answers and does not count as failing.",
    mend: "None needed unless it lasts. Then look for an annotation that names very many sources, in full or by a pattern, and add workers.",
  },
  "engine.write-rewritten": {
    class: "transient",
    meaning:
      "The API server accepted our write, but it is not on the pod template: something removed it. The change has not reached the pods.",
    mend: "Look for a mutating webhook that removes our annotation or variable. The write is retried, finally every 5 minutes, until the template has it.",
  },
  "engine.invariant": {
    class: "invariant",
    meaning: "An impossible state. This is our bug.",
    mend: "Report it with the log line.",
  },
} as const satisfies Record<string, FaultEntry>;

export type FaultCode = keyof typeof faultCatalogue;

/** What is wrong with one part of a request. */
export interface RefusedPart {
  /** The wrong part, for example `cluster`. */
  readonly field: string;
  /** The given value. */
  readonly value: string;
  /** A sentence that begins with the field. */
  readonly problem: string;
  /** What to write; empty: no mend is known. */
  readonly mend: string;
}

export interface FaultOptions {
  /** Safe context: names only, never values. */
  readonly context?: Readonly<Record<string, string | number>>;
  /** The wait that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Each wrong part of a request that has several. The message has a line for each. */
  readonly parts?: readonly RefusedPart[];
  readonly cause?: unknown;
}

/** An error of the catalogue. The message is for logs and operators; it carries names, never content. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly context: Readonly<Record<string, string | number>>;
  readonly retryAfterMs: number | undefined;
  /** Empty: the message is about one thing. */
  readonly parts: readonly RefusedPart[];

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.context = options.context ?? {};
    this.retryAfterMs = options.retryAfterMs;
    this.parts = options.parts ?? [];
  }

  get class(): FaultClass {
    return faultCatalogue[this.code].class;
  }

  get disposition(): Disposition {
    return dispositions[this.class];
  }
}

/** Turns any thrown value into a fault. A foreign error counts as a bug of ours. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const message = error instanceof Error ? error.message : "a value that is not an error was thrown";
  return new Fault("engine.invariant", message, { cause: error });
}
