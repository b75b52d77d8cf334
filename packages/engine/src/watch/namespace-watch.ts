import {
  type LabelSelector,
  type Labels,
  matchesSelector,
} from "@fleet-reloader/domain/workload/label-selector";
import { mayServe } from "../observe/served.ts";
import type { Scope } from "../ports/settings.ts";
import type { StreamHandler } from "../ports/source-stream.ts";

/** A namespace as a list or watch shows it: metadata only. */
export interface LabelledNamespace {
  readonly name: string;
  readonly labels: Labels;
}

export interface NamespaceWatchOptions {
  readonly scope: Scope;
  readonly selector: LabelSelector;
  readonly onEnter: (namespace: string) => void;
  readonly onLeave: (namespace: string) => Promise<void>;
  /** Called after each list, with how many namespaces are selected. */
  readonly onListed: (selected: number) => void;
}

export interface NamespaceWatch extends StreamHandler<LabelledNamespace> {
  isSelected(namespace: string): boolean;
}

/** Keeps the set of namespaces that match the selector, and reports each one that enters or leaves it. */
export function createNamespaceWatch(options: NamespaceWatchOptions): NamespaceWatch {
  /** A leaving namespace is no longer selected. It stays in the map until `onLeave` has resolved. */
  const known = new Map<string, "selected" | "leaving">();
  let listed = new Set<string>();

  return {
    isSelected: (namespace) => known.get(namespace) === "selected",
    listBegins() {
      listed = new Set();
    },
    async page(namespaces) {
      for (const { name } of namespaces) listed.add(name);
      for (const namespace of namespaces) await take(namespace);
    },
    async listed() {
      for (const name of [...known.keys()]) if (!listed.has(name)) await leave(name);
      listed = new Set();
      options.onListed(known.size);
    },
    async events(events) {
      for (const { type, object } of events) {
        if (type === "delete") await leave(object.name);
        else await take(object);
      }
    },
  };

  async function take({ name, labels }: LabelledNamespace): Promise<void> {
    if (!mayServe(options.scope, name) || !matchesSelector(options.selector, labels))
      return await leave(name);
    if (known.get(name) === "selected") return;
    known.set(name, "selected");
    options.onEnter(name);
  }

  async function leave(name: string): Promise<void> {
    if (!known.has(name)) return;
    known.set(name, "leaving");
    await options.onLeave(name);
    known.delete(name);
  }
}
