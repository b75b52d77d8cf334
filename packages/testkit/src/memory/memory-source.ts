import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import type { SourceContent } from "@fleet-reloader/domain/source/source";
import type { Annotations } from "@fleet-reloader/domain/workload/workload";
import type { LiveSource } from "@fleet-reloader/engine/ports/cluster-api";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import { isSame } from "./memory-workload.ts";

/** A source as it is written; what follows from when it was is the server's to say. */
export type WrittenSource = Omit<LiveSource, "writtenAtSeconds" | "isModified" | "resourceVersion" | "write">;

export interface StoredSource {
  readonly live: LiveSource;
  /** Like managedFields: who owns content of it, and when each last wrote anything. */
  readonly owners: Readonly<Record<string, number>>;
  readonly resourceVersion: string;
}

/** What the API server makes of a write: who owns content of the source, and the times that follow. */
export function writtenSource(
  written: WrittenSource,
  before: StoredSource | undefined,
  server: { readonly nowSeconds: number; readonly nextVersion: () => string; readonly writer: string },
): StoredSource {
  const { nowSeconds, writer } = server;
  const resourceVersion = server.nextVersion();
  const old = before?.live.content;
  const isChanged = old !== written.content && !isSame(textsOf(old), textsOf(written.content));
  const { createdAtSeconds, asOfSeconds } = written;
  if (written.ref.kind === "SecretProviderClass") {
    const wasShown = before?.live.content !== undefined;
    const isModified = wasShown && (before.live.isModified || isChanged);
    const times = { writtenAtSeconds: asOfSeconds ?? createdAtSeconds, isModified };
    return { live: { ...written, ...times, resourceVersion }, owners: {}, resourceVersion };
  }
  const owned = before?.owners ?? {};
  const owners = isChanged || Object.hasOwn(owned, writer) ? { ...owned, [writer]: nowSeconds } : owned;
  const writtenAtSeconds = Math.max(createdAtSeconds, ...Object.values(owners));
  const [manager] = Object.entries(owners).find(([, at]) => at === writtenAtSeconds) ?? [writer];
  const by = { manager, operation: "Update", atSeconds: writtenAtSeconds };
  const times = { writtenAtSeconds, isModified: writtenAtSeconds > createdAtSeconds };
  return {
    live: { ...written, ...times, resourceVersion, write: { resourceVersion, by } },
    owners,
    resourceVersion,
  };
}

const decoder = new TextDecoder();

function textsOf(content: SourceContent | undefined): readonly string[] | undefined {
  return content && [...content.data].map(([key, value]) => `${key}=${decoder.decode(value)}`).sort();
}

export function versionOf({ live, resourceVersion }: StoredSource): SourceVersion {
  const version = { ref: live.ref, resourceVersion };
  return frozenByAnnotation(live.annotations) === undefined ? version : { ...version, isFrozen: true };
}

const encoder = new TextEncoder();
const contents = new Map<string, SourceContent>();
/** A simulation writes few contents again and again. They are small. */
const [contentsMax, contentLengthMax] = [1000, 200];

export function contentOf(data: Annotations): SourceContent {
  const text = JSON.stringify(data);
  const known = contents.get(text);
  if (known !== undefined) return known;
  const bytes = Object.entries(data).map(([key, value]) => [key, encoder.encode(value)] as const);
  const content: SourceContent = { data: new Map(bytes), binaryData: new Map() };
  if (text.length <= contentLengthMax && contents.size < contentsMax) contents.set(text, content);
  return content;
}
