import { type ApiClient, type ApiKind, apiPath } from "@fleet-reloader/testkit/api-client";
import { at } from "./site.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/**
 * All that was done to the objects of a namespace since a moment, as the API server itself remembers it. What came and went
 * between two looks is in it, too.
 */
export class Deeds {
  readonly #client: ApiClient;
  readonly #namespace: string;
  readonly #since: string;
  readonly #longest = new Map<ApiKind, readonly WatchEvent[]>();
  readonly #watches = new Map<ApiKind, Promise<readonly WatchEvent[]>>();

  private constructor(client: ApiClient, namespace: string, since: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#since = since;
  }

  static async from(client: ApiClient, namespace: string): Promise<Deeds> {
    const { body } = await client.list("ConfigMap", namespace);
    return new Deeds(client, namespace, String(at(body, "metadata", "resourceVersion")));
  }

  /** Times the pod template became another one. */
  async templates(kind: ApiKind, name: string): Promise<number> {
    return await this.#changes(kind, name, "spec", "template");
  }

  async restarts(kind: ApiKind, name: string): Promise<number> {
    return await this.#changes(kind, name, "spec", "restartAt");
  }

  /** Jobs that were made for a CronJob. */
  async runs(cronJob: string): Promise<number> {
    const added = (await this.#events("Job")).filter(({ type }) => type === "ADDED");
    return added.filter(({ object }) => {
      const owners = at(object, "metadata", "ownerReferences");
      return Array.isArray(owners) && owners.some((owner) => at(owner, "name") === cronJob);
    }).length;
  }

  /** Times a Job was made anew under its name. */
  async remakes(job: string): Promise<number> {
    const all = (await this.#events("Job")).filter(({ object }) => at(object, "metadata", "name") === job);
    return new Set(all.map(({ object }) => at(object, "metadata", "uid"))).size - 1;
  }

  async #changes(kind: ApiKind, name: string, ...path: readonly string[]): Promise<number> {
    const all = (await this.#events(kind)).filter(({ object }) => at(object, "metadata", "name") === name);
    const values = all.map(({ object }) => JSON.stringify(at(object, ...path)));
    return values.filter((value, i) => i > 0 && value !== values[i - 1]).length;
  }

  /** Who asks at the same time is shown the same watch. */
  #events(kind: ApiKind): Promise<readonly WatchEvent[]> {
    const running = this.#watches.get(kind) ?? this.#watch(kind).finally(() => this.#watches.delete(kind));
    this.#watches.set(kind, running);
    return running;
  }

  /**
   * A watch from back then shows everything since; it ends after a second. History only grows: what a busy API server has not sent by
   * then, but had sent to an earlier watch, has happened all the same.
   */
  async #watch(kind: ApiKind): Promise<readonly WatchEvent[]> {
    const query = `watch=1&resourceVersion=${this.#since}&timeoutSeconds=1`;
    const { status, body } = await this.#client.send("GET", `${apiPath(kind, this.#namespace)}?${query}`);
    if (status !== 200) throw new Error(`the API server answered ${status}: ${JSON.stringify(body)}`);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const events = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line): WatchEvent => {
        const event: unknown = JSON.parse(line);
        return { type: String(at(event, "type")), object: at(event, "object") };
      });
    const before = this.#longest.get(kind) ?? [];
    if (events.length < before.length) return before;
    this.#longest.set(kind, events);
    return events;
  }
}
