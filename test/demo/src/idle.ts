import { setTimeout as wait } from "node:timers/promises";
import type { ClusterWrite, WriteTail } from "./fleet.ts";
import type { Narrator } from "./narration/narrator.ts";
import { milliseconds } from "./narration/paint.ts";

const pollMs = 20;
/** The product's field manager; every other one that changes a template is a person or a tool. */
const reloaderManager = "Reloader";

/** Tells what people try by hand, until the signal: each change of content, and each roll. */
export async function tellUntil(signal: AbortSignal, tail: WriteTail, narrator: Narrator): Promise<void> {
  const changedAt = new Map<string, number>();
  while (!signal.aborted) {
    for (const write of tail.take()) tell(write, changedAt, narrator);
    await wait(pollMs);
  }
}

function tell(write: ClusterWrite, changedAt: Map<string, number>, narrator: Narrator): void {
  const { cluster, kind, namespace, name, at, fieldManager } = write;
  const place = `${cluster}/${namespace}`;
  if (write.templateChanged) {
    const since = changedAt.get(place);
    const after = since === undefined ? "" : `, ${milliseconds(at - since)} after that`;
    const how = fieldManager === reloaderManager ? after : `, by ${fieldManager}`;
    narrator.event(cluster, `${kind} ${namespace}/${name} rolls${how}`);
  } else if (write.changed && (kind === "ConfigMap" || kind === "Secret")) {
    changedAt.set(place, at);
    narrator.event(cluster, `${kind} ${namespace}/${name}: ${write.verb} by ${fieldManager}`);
  }
}
