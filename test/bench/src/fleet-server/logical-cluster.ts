import type { ServerResponse } from "node:http";
import { entries, field, text } from "../api/field.ts";
import {
  countOf,
  deploymentObject,
  type FleetResource,
  source,
  sourceMetadata,
  unwritten,
  type Written,
} from "./fleet-objects.ts";
import type { Behaviour, FleetShape } from "./methods.ts";

/** Events kept for watches that begin a little later than their list; older versions answer 410. */
const historyLimit = 500;

interface Watch {
  readonly resource: string;
  readonly response: ServerResponse;
}

/** Told of by whoever counts rolls. */
type OnTemplateChange = (cluster: number, deployment: number) => void;

/**
 * One cluster of a simulated fleet: nothing of it is stored but what was written since its start. All else is made when somebody asks.
 */
export class LogicalCluster {
  readonly index: number;
  readonly uid: string;
  behaviour: Behaviour = "healthy";
  readonly #shape: FleetShape;
  readonly #onTemplateChange: OnTemplateChange;
  readonly #changed = new Map<number, number>();
  readonly #written = new Map<number, Written>();
  readonly #watches = new Set<Watch>();
  readonly #history: { readonly version: number; readonly resource: string; readonly line: string }[] = [];
  #version = 1000;

  constructor(index: number, shape: FleetShape, onTemplateChange: OnTemplateChange) {
    this.index = index;
    this.uid = `f1ee7000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    this.#shape = shape;
    this.#onTemplateChange = onTemplateChange;
  }

  get version(): number {
    return this.#version;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Opted-in Deployments with an annotation that begins so. */
  countAnnotated(prefix: string): number {
    return [...this.#written.values()].filter(({ annotations }) =>
      Object.keys(annotations).some((name) => name.startsWith(prefix)),
    ).length;
  }

  /** One page of a list. */
  page(resource: string, isMetadata: boolean, from: number, limit: number): object {
    const count = countOf(resource, this.#shape);
    const to = limit > 0 ? Math.min(from + limit, count) : count;
    const items: object[] = [];
    for (let at = from; at < to; at += 1) items.push(this.#object(resource, at, isMetadata));
    const metadata = {
      resourceVersion: String(this.#version),
      ...(to < count ? { continue: String(to) } : {}),
    };
    return { kind: "List", apiVersion: "v1", metadata, items };
  }

  /** Undefined: there is no such object. */
  object(resource: string, at: number): object | undefined {
    return at < countOf(resource, this.#shape) ? this.#object(resource, at, false) : undefined;
  }

  changeConfigMap(at: number): void {
    this.#version += 1;
    this.#changed.set(at, this.#version);
    this.#tell("configmaps", sourceMetadata("configmaps", at, this.#version));
  }

  /** A conditional patch of annotations; undefined when the version it holds for is not the current one. */
  patchDeployment(at: number, patch: unknown): object | undefined {
    const before = this.#written.get(at) ?? unwritten;
    const expected = text(patch, "metadata", "resourceVersion");
    if (expected !== "" && expected !== String(before.version)) return undefined;
    const templateAnnotations = merged(
      before.templateAnnotations,
      field(patch, "spec", "template", "metadata", "annotations"),
    );
    const isRoll = JSON.stringify(templateAnnotations) !== JSON.stringify(before.templateAnnotations);
    this.#version += 1;
    const now: Written = {
      version: this.#version,
      generation: before.generation + (isRoll ? 1 : 0),
      annotations: merged(before.annotations, field(patch, "metadata", "annotations")),
      templateAnnotations,
    };
    this.#written.set(at, now);
    if (isRoll) this.#onTemplateChange(this.index, at);
    const object = deploymentObject(at, this.#shape, now);
    this.#tell("deployments", object);
    return object;
  }

  /** False: the version is too old. */
  watch(resource: string, from: number, response: ServerResponse): boolean {
    const [oldest] = this.#history;
    if (oldest !== undefined && from < oldest.version - 1 && this.#history.length >= historyLimit)
      return false;
    for (const event of this.#history)
      if (event.resource === resource && event.version > from) response.write(event.line);
    const watch = { resource, response };
    this.#watches.add(watch);
    response.once("close", () => this.#watches.delete(watch));
    return true;
  }

  sendBookmarks(): void {
    const line = eventLine("BOOKMARK", {
      kind: "Bookmark",
      apiVersion: "v1",
      metadata: { resourceVersion: String(this.#version) },
    });
    for (const { response } of this.#watches) response.write(line);
  }

  endWatches(): void {
    for (const { response } of this.#watches) response.end();
  }

  #object(resource: string, at: number, isMetadata: boolean): object {
    if (resource === "deployments")
      return deploymentObject(at, this.#shape, this.#written.get(at) ?? unwritten);
    const version = resource === "configmaps" ? (this.#changed.get(at) ?? 1) : 1;
    const kind = resource === "secrets" ? resource : "configmaps";
    return isMetadata ? sourceMetadata(kind, at, version) : source(kind, at, version);
  }

  #tell(resource: FleetResource, object: object): void {
    const line = eventLine("MODIFIED", object);
    this.#history.push({ version: this.#version, resource, line });
    if (this.#history.length > historyLimit) this.#history.shift();
    for (const watch of this.#watches) if (watch.resource === resource) watch.response.write(line);
  }
}

function eventLine(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** As a merge patch does it. */
function merged(before: Readonly<Record<string, string>>, patch: unknown): Readonly<Record<string, string>> {
  const after: Record<string, string> = { ...before };
  for (const [name, value] of entries(patch)) {
    if (value === null) delete after[name];
    else after[name] = String(value);
  }
  return after;
}
