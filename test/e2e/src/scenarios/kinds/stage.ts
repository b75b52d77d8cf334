import type { ApiKind } from "@fleet-reloader/testkit/api-client";
import type { Product } from "@fleet-reloader/testkit/product";
import { holds, until } from "@fleet-reloader/testkit/until";
import { Deeds } from "../../deeds.ts";
import { at as field, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import type { Source, Subject } from "./subjects.ts";

/** Three quiet periods of a product with --debounce 500ms. */
const threeQuietMs = 1500;

interface StageOptions {
  readonly sources?: readonly Source[];
  /** How long no further action may come before it is settled. */
  readonly quietMs?: number;
}

/** One workload with its sources in a namespace of its own. */
export class Stage {
  readonly at: Site;
  readonly #subject: Subject;
  readonly #deeds: Deeds;
  readonly #quietMs: number;

  private constructor(at: Site, subject: Subject, deeds: Deeds, quietMs: number) {
    this.at = at;
    this.#subject = subject;
    this.#deeds = deeds;
    this.#quietMs = quietMs;
  }

  static async prepare({ client }: World, subject: Subject, options: StageOptions = {}): Promise<Stage> {
    const { sources = [["ConfigMap", "source"]], quietMs = threeQuietMs } = options;
    const at = await Site.make(client, subject.kind.toLowerCase());
    for (const [kind, name] of sources)
      await at[kind === "Secret" ? "secret" : "configMap"](name, { v: "0" });
    const deeds = await Deeds.from(client, at.namespace);
    for (const [kind, object] of subject.objects(sources)) await at.make(kind, object);
    return new Stage(at, subject, deeds, quietMs);
  }

  static async set(world: World, subject: Subject, options?: StageOptions): Promise<Stage> {
    const stage = await Stage.prepare(world, subject, options);
    await stage.adopted();
    return stage;
  }

  async adopted(): Promise<void> {
    await this.at.adopted(this.#subject.kind, "it");
  }

  actions(): Promise<number> {
    return this.#subject.actions(this.#deeds);
  }

  async actsOnAChange(): Promise<void> {
    await this.adopted();
    await this.at.change("ConfigMap", "source", { v: "1" });
    await this.settlesAt(1);
  }

  /** Exactly this many actions: they come, and no more does. */
  async settlesAt(expected: number, product?: Product): Promise<void> {
    try {
      const what = `${this.#subject.name} has ${expected} actions`;
      await until(what, async () => (await this.actions()) >= expected);
      await this.staysAt(expected);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${product?.output() ?? ""}`, {
        cause: error,
      });
    }
  }

  async staysAt(expected: number): Promise<void> {
    const what = `${this.#subject.name} stays at ${expected} actions`;
    let actions = expected;
    const isSo = async (): Promise<boolean> => {
      actions = await this.actions();
      return actions === expected;
    };
    await holds(what, this.#quietMs, isSo).catch((error: unknown) => {
      throw new Error(`${what}: it has ${actions}`, { cause: error });
    });
  }

  /** A change is noted, whether it is acted on or not. */
  async changesNote(): Promise<void> {
    const before = await this.at.note(this.#subject.kind, "it");
    await this.at.change("ConfigMap", "source", { v: "changed" });
    await until("the note changes", async () => (await this.at.note(this.#subject.kind, "it")) !== before);
  }

  async names(kind: ApiKind): Promise<readonly unknown[]> {
    const items = field(JSON.parse(await this.at.all(kind)), "items");
    return Array.isArray(items) ? items.map((item) => field(item, "metadata", "name")) : [];
  }
}
