import process from "node:process";
import { endProcess } from "../process/end-process.ts";
import { version } from "../process/version.ts";
import type { ConfigOf, ConfigShape } from "./field.ts";
import { helpText } from "./help.ts";
import { type ConfigSources, loadConfig } from "./load.ts";

/** A service's configuration; `--help` (`-h`) and `--version` print and end the process. */
export async function loadServiceConfig<S extends ConfigShape>(
  name: string,
  shape: S,
  sources: ConfigSources,
): Promise<ConfigOf<S>> {
  const isHelp = sources.args.includes("--help") || sources.args.includes("-h");
  if (isHelp) await endWith(helpText(`${name} [flags]`, shape));
  if (sources.args.includes("--version")) await endWith(`${name} ${version}\n`);
  return loadConfig(shape, sources);
}

function endWith(text: string): Promise<never> {
  process.stdout.write(text);
  return endProcess(0);
}
