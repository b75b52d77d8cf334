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
  const isChanged = !isSame(textsOf(before?.live.content), textsOf(written.content));
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

function textsOf(content: SourceContent | undefined): readonly string[] | undefined {
  return (
    content && [...content.data].map(([key, value]) => `${key}=${new TextDecoder().decode(value)}`).sort()
  );
}

export function versionOf({ live, resourceVersion }: StoredSource): SourceVersion {
  const version = { ref: live.ref, resourceVersion };
  return frozenByAnnotation(live.annotations) === undefined ? version : { ...version, isFrozen: true };
}

export function contentOf(data: Annotations): SourceContent {
  const bytes = Object.entries(data).map(([key, value]) => [key, new TextEncoder().encode(value)] as const);
  return { data: new Map(bytes), binaryData: new Map() };
}
