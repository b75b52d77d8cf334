import { ApiClient, type ApiTarget, apiPath } from "@fleet-reloader/testkit/api-client";
import { openWatch, type WatchEvent } from "@fleet-reloader/testkit/open-watch";
import { expectOk } from "../api/expect-ok.ts";
import { entries, field, items, text } from "../api/field.ts";

/** Sees every change of a Deployment's pod template: a roll is what the API server shows, not what a tool says. */
export class TemplateWatch {
  readonly #templates = new Map<string, string>();
  readonly #annotations = new Map<string, readonly string[]>();
  readonly #rolls = new Map<string, number[]>();
  readonly #waiting = new Map<string, () => void>();
  #lastRollAt = 0;
  #broken: Error | undefined;
  /** Of the last object that was seen. */
  #version = "";
  #close = (): void => undefined;

  async open(target: ApiTarget): Promise<void> {
    this.#close();
    this.#templates.clear();
    this.#annotations.clear();
    this.forgetRolls();
    const list = await expectOk("list deployments", new ApiClient(target).list("Deployment"));
    for (const item of items(list)) this.#take(item, 0);
    this.#version = text(list, "metadata", "resourceVersion");
    await this.#watch(target);
  }

  /** A busy server ends the watch of who does not keep up: it goes on where it was, and nothing is missing. */
  async #watch(target: ApiTarget): Promise<void> {
    const broken = (error: Error): void => {
      this.#broken = error;
    };
    const path = `${apiPath("Deployment")}?watch=1&resourceVersion=${this.#version}`;
    this.#close = await openWatch(target, path, {
      event: (event) => this.#event(event),
      broken,
      ended: () => void this.#watch(target).catch(broken),
    });
  }

  /** Times of the rolls seen of one Deployment since `forgetRolls`, by `performance.now()`. */
  rollsOf(namespace: string, name: string): readonly number[] {
    return this.#rolls.get(`${namespace}/${name}`) ?? [];
  }

  /** The same for all Deployments of a namespace; those that never rolled have an empty list. */
  rollsIn(namespace: string): ReadonlyMap<string, readonly number[]> {
    this.assertWhole();
    const names = [...this.#templates.keys()].filter((key) => key.startsWith(`${namespace}/`));
    return new Map(names.map((key) => [key.slice(namespace.length + 1), this.#rolls.get(key) ?? []]));
  }

  get lastRollAt(): number {
    return this.#lastRollAt;
  }

  /** How many Deployments of a namespace carry an annotation that begins so, on themselves. */
  countAnnotated(namespace: string, prefix: string): number {
    this.assertWhole();
    return [...this.#annotations].filter(
      ([key, names]) => key.startsWith(`${namespace}/`) && names.some((name) => name.startsWith(prefix)),
    ).length;
  }

  forgetRolls(): void {
    this.#rolls.clear();
    this.#lastRollAt = 0;
  }

  /** Resolves to the time of the next roll of this Deployment; undefined when there is none in time. */
  nextRoll(namespace: string, name: string, timeoutMs: number): Promise<number | undefined> {
    const key = `${namespace}/${name}`;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      resolve(undefined);
    }, timeoutMs);
    this.#waiting.set(key, () => {
      clearTimeout(timer);
      this.#waiting.delete(key);
      resolve(this.#lastRollAt);
    });
    return promise;
  }

  /** Throws when the watch has broken: then "no roll seen" would mean nothing. */
  assertWhole(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #event({ type, object, arrivedAt }: WatchEvent): void {
    if (type === "ERROR") this.#broken = new Error(`watch: ${text(object, "message")}`);
    else {
      this.#version = text(object, "metadata", "resourceVersion");
      if (type !== "BOOKMARK" && type !== "DELETED") this.#take(object, arrivedAt);
    }
  }

  #take(deployment: unknown, arrivedAt: number): void {
    const key = `${text(deployment, "metadata", "namespace")}/${text(deployment, "metadata", "name")}`;
    const template = JSON.stringify(field(deployment, "spec", "template"));
    const before = this.#templates.get(key);
    this.#templates.set(key, template);
    const annotations = entries(deployment, "metadata", "annotations");
    this.#annotations.set(
      key,
      annotations.map(([name]) => name),
    );
    if (before === undefined || before === template) return;
    this.#rolls.set(key, [...(this.#rolls.get(key) ?? []), arrivedAt]);
    this.#lastRollAt = arrivedAt;
    this.#waiting.get(key)?.();
  }
}
