import { createHub } from "@fleet-reloader/keda/hub";
import type { BenchServer } from "../server/bench-server.ts";
import type { ScaledHub } from "./hub.ts";
import { unbroken } from "./ours.ts";

/** The same hub, with the workers as pods that the real KEDA asks for. */
export async function startKedaHub(options: {
  readonly server: BenchServer;
  readonly namespace: string;
  readonly trigger: "push" | "poll";
  readonly cooldownSeconds: number;
  readonly args: readonly string[];
}): Promise<ScaledHub> {
  const { server, ...rest } = options;
  const { kubeconfigPath, target } = server;
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await createHub({ ...rest, kubeconfigPath, target, workerArgs: unbroken }));
  await hub.startWatcher().inSync();
  await hub.scale();
  const whole = stack.move();
  return { scaler: hub.pods, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}
