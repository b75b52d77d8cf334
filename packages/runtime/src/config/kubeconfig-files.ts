import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The kubeconfig files to read, chosen as by kubectl: the configured ones, separated by colons, or else an existing one in the
 * home folder. An empty list means that there is only the cluster this process runs in.
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
