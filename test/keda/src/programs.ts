import { join } from "node:path";
import { ensureGoTool } from "@fleet-reloader/control-plane/go-tool";
import { kedaSource } from "./source.ts";

/** What KEDA runs as, and the kinds that it serves. */
export interface KedaPrograms {
  readonly operator: string;
  readonly adapter: string;
  /** Folder of its CustomResourceDefinitions. */
  readonly definitions: string;
}

/** Called as in KEDA's images. Measured with an empty build cache; most of it is what both share, so the operator is built first. */
const tools = {
  operator: { name: "keda", from: "./cmd/operator", coldSeconds: 240 },
  adapter: { name: "keda-adapter", from: "./cmd/adapter", coldSeconds: 30 },
} as const;

/** The operator and the metrics adapter: what is on PATH, else our own, built once. */
export async function ensureKeda(log: (line: string) => void = console.error): Promise<KedaPrograms> {
  const { folder, hash } = await kedaSource();
  const made = { moduleFolder: folder, madeFrom: hash, cache: "keda" };
  return {
    operator: await ensureGoTool({ ...tools.operator, ...made }, log),
    adapter: await ensureGoTool({ ...tools.adapter, ...made }, log),
    definitions: join(folder, "config/crd/bases"),
  };
}
