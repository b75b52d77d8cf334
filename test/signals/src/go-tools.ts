import { join } from "node:path";
import { ensureGoTool } from "@fleet-reloader/control-plane/go-tool";

/** Versions are pinned by tools/go.mod, contents by tools/go.sum. */
const moduleFolder = join(import.meta.dirname, "../tools");
/** Measured with an empty build cache; most of it is what both share, so promtool is built first. */
const tools = {
  promtool: { from: "github.com/prometheus/prometheus/cmd/promtool", coldSeconds: 240 },
  prometheus: { from: "github.com/prometheus/prometheus/cmd/prometheus", coldSeconds: 60 },
} as const;
/** Our targets are given by address: without the clients of some twenty clouds the build takes half the time. */
const tags = "netgo,remove_all_sd";

export type SignalTool = keyof typeof tools;
export const signalTools: readonly SignalTool[] = ["promtool", "prometheus"];

/** The path of a tool: what is on PATH, else our own, built once. */
export async function ensureSignalTool(name: SignalTool): Promise<string> {
  return await ensureGoTool({ name, ...tools[name], tags, moduleFolder, cache: "signal-tools" });
}
