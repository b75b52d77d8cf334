import { Fault } from "@fleet-reloader/domain/fault";
import type { Admit } from "@fleet-reloader/engine/ports/cluster-api";

/** A call of ours to the API server. */
export interface ClusterCall {
  readonly verb: "read" | "list" | "patch" | "create" | "delete";
  /** `Deployment/ns/api`, `ConfigMap/ns/app`, or `ConfigMap/ns` for a list. */
  readonly target: string;
}

/** What happens around a call. */
export interface CallHooks {
  /** While the call waits for its turn: it is not sent yet, and whatever is thrown here, never is. */
  readonly turn?: (call: ClusterCall) => Promise<void> | void;
  /** Before the server does what is asked: a place to wait, or to throw the fault that it answers with. */
  readonly before?: (call: ClusterCall) => Promise<void> | void;
  /** After it was done and before the answer: what is thrown here is a lost reply. */
  readonly after?: (call: ClusterCall) => Promise<void> | void;
}

/** The calls of ours to an API server, each with what happens around it. */
export class MemoryCalls {
  readonly made: ClusterCall[] = [];
  readonly #hooks: CallHooks;

  constructor(hooks: CallHooks) {
    this.#hooks = hooks;
  }

  async make<T>(
    { admit, ...call }: ClusterCall & { readonly admit?: Admit | undefined },
    signal: AbortSignal,
    perform: () => T,
  ): Promise<T> {
    const { turn, before, after } = this.#hooks;
    this.made.push(call);
    await turn?.(call);
    unlessStopped(signal);
    if (admit !== undefined && (await admit()) === "hold")
      throw new Fault("kube.conflict", "it was forbidden while the write waited for its turn");
    await before?.(call);
    unlessStopped(signal);
    const answer = perform();
    await after?.(call);
    return answer;
  }
}

function unlessStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Fault("engine.aborted", "stopped while talking to the API server");
}
