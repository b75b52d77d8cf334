import { until } from "@fleet-reloader/testkit/until";
import { type Child, orEnd, startChild } from "../child/child.ts";
import type { BenchServer } from "../server/bench-server.ts";
import type { ObserverMethods } from "./methods.ts";

export type Observer = Child<ObserverMethods>;

/** Begins every annotation in which our product notes something on a workload. */
const noteAnnotations = "fleet-reloader.io/carried";
/** Ten thousand workloads are written to once each. */
const ADOPTED_TIMEOUT_MS = 120_000;

/** Starts the writer and observer, with its watch open. */
export async function startObserver(server: BenchServer): Promise<Observer> {
  const observer = startChild<ObserverMethods>(new URL("./process.ts", import.meta.url));
  await orEnd(observer, observer.ask("open", server.target));
  return observer;
}

/** Waits until our product has noted on every workload of a namespace what it carries: before that it is not idle. */
export async function adopted(observer: Observer, namespace: string, count: number): Promise<void> {
  await until(
    `all ${count} workloads of ${namespace} are adopted`,
    async () => (await observer.ask("countAnnotated", { namespace, prefix: noteAnnotations })) >= count,
    ADOPTED_TIMEOUT_MS,
  );
}
