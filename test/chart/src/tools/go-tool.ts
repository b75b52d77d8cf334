import { join } from "node:path";
import { ensureGoTool } from "@fleet-reloader/control-plane/go-tool";

/** Versions are pinned by tools/go.mod, contents by tools/go.sum. */
const moduleFolder = join(import.meta.dirname, "../../tools");
const tools = {
  helm: { from: "helm.sh/helm/v4/cmd/helm", coldSeconds: 110 },
  kubeconform: { from: "github.com/yannh/kubeconform/cmd/kubeconform", coldSeconds: 25 },
  kustomize: { from: "sigs.k8s.io/kustomize/kustomize/v5", coldSeconds: 5 },
} as const;

export type ToolName = keyof typeof tools;
export const toolNames: readonly ToolName[] = ["kubeconform", "helm", "kustomize"];

/** The path of a tool: what is on PATH, else our own, built once. */
export async function ensureTool(name: ToolName): Promise<string> {
  return await ensureGoTool({ name, ...tools[name], moduleFolder, cache: "chart-tools" });
}
