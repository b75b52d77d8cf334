import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The kubeconfig files to read, as kubectl chooses them: those that are configured, separated by colons, or else the one in
 * the home folder when it exists. None: there is only the cluster this process runs in.
 */
export function kubeconfigFilesOf(
  configured: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (configured !== "") return [...new Set(configured.split(":").filter((file) => file !== ""))];
  const home = env.HOME ?? "";
  const file = join(home, ".kube/config");
  return home !== "" && existsSync(file) ? [file] : [];
}
