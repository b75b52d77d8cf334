import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { jsonText } from "@fleet-reloader/domain/json";
import { mergePatchCall, writePath } from "../http/call.ts";
import { createObject } from "../http/collection-calls.ts";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { resourcePath } from "../resource.ts";
import { absentOr } from "./object-answer.ts";

const freezeMaps = { group: "", version: "v1", plural: "configmaps" } as const;
/** The key of the document in the ConfigMap. */
const freezeKey = "freezes.yaml";
/** Attempts when two people write at the same time. */
const writeAttemptsMax = 5;

/** A freeze document in a ConfigMap of the hub. */
export class FreezeConfigMap {
  readonly name: string;
  readonly #connection: Connection;
  readonly #ref: { readonly namespace: string; readonly name: string };
  readonly #signal: AbortSignal;

  constructor(options: {
    readonly connection: Connection;
    readonly namespace: string;
    readonly name: string;
    readonly signal: AbortSignal;
  }) {
    this.name = `ConfigMap ${options.namespace}/${options.name}`;
    this.#connection = options.connection;
    this.#ref = options;
    this.#signal = options.signal;
  }

  /** Undefined: there is no such ConfigMap. Rejects when that is not known. */
  async text(): Promise<string | undefined> {
    return (await this.#read())?.text;
  }

  /** Writes the changed document. If somebody else has written meanwhile, it reads and changes the document again. */
  async write(change: (before: string | undefined) => string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.#read();
      try {
        await this.#write(before, change(before?.text));
        return;
      } catch (error) {
        if (asFault(error).class !== "conflict" || attempt === writeAttemptsMax) throw error;
      }
    }
  }

  async #read() {
    const { namespace, name } = this.#ref;
    const path = resourcePath(freezeMaps, namespace, name);
    const answer = await this.#connection.call({ method: "GET", path }, this.#signal);
    return absentOr(answer, this.#ref, (object) => {
      const document = jsonText(object, "data", freezeKey);
      if (document === undefined)
        throw new Fault("config.invalid", `it has no ${freezeKey} under data; add one, [] for no freezes`);
      return { text: document, resourceVersion: text(object, "metadata", "resourceVersion") };
    });
  }

  async #write(before: { readonly resourceVersion: string } | undefined, document: string): Promise<void> {
    const { namespace, name } = this.#ref;
    const data = { [freezeKey]: document };
    if (before === undefined) {
      const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
      return await createObject(this.#connection, resourcePath(freezeMaps, namespace), made, this.#signal);
    }
    const { resourceVersion } = before;
    const path = writePath(resourcePath(freezeMaps, namespace, name));
    const patch = mergePatchCall(path, { metadata: { resourceVersion }, data });
    const answer = await this.#connection.call(patch, this.#signal);
    if (answer.status === 404) throw new Fault("kube.conflict", `${this.name} was deleted meanwhile`);
  }
}
