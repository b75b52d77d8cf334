/** A failure to play for the next requests that fit. */
export interface FailureScript {
  /** "*" for every verb. */
  readonly verb: string;
  /** Plural, with a subresource where meant: `configmaps`, `deployments/status`; "*" for every resource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  /** An HTTP status, or a connection that is reset without an answer. */
  readonly status: number | "reset";
  /** Seconds, for 429 and 503. */
  readonly retryAfter?: number;
  /** How many requests; 1 when absent. */
  readonly count?: number;
  /** Carry the request out, then drop the connection instead of answering. */
  readonly after?: boolean;
}

export interface FailureTarget {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Failures in the order they were asked for; each is used up by the requests it hits. */
export class ScriptedFailures {
  #scripts: { readonly script: FailureScript; left: number }[] = [];

  add(script: FailureScript): void {
    this.#scripts.push({ script, left: script.count ?? 1 });
  }

  /** The failure that this request has to suffer, if any. */
  take(target: FailureTarget): FailureScript | undefined {
    const found = this.#scripts.find(({ script }) => fits(script, target));
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#scripts = this.#scripts.filter((each) => each !== found);
    return found.script;
  }

  clear(): void {
    this.#scripts = [];
  }
}

function fits(script: FailureScript, target: FailureTarget): boolean {
  return (
    (script.verb === "*" || script.verb === target.verb) &&
    (script.resource === "*" || script.resource === target.resource) &&
    (script.namespace === undefined || script.namespace === target.namespace) &&
    (script.name === undefined || script.name === target.name)
  );
}
