import { join } from "node:path";

/** The folder of `--data-dir`, or where the XDG base directory specification puts a program's state. */
export function dataDirOf(configured: string, env: Readonly<Record<string, string | undefined>>): string {
  if (configured !== "") return configured;
  const state = env.XDG_STATE_HOME || join(env.HOME ?? "/var/lib", ".local/state");
  return join(state, "fleet-reloader");
}
