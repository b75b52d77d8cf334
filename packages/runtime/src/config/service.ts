import process from "node:process";
import { version } from "../version.ts";
import type { ConfigOf, ConfigShape } from "./field.ts";
import { helpText } from "./help.ts";
import { type ConfigSources, loadConfig } from "./load.ts";

/** A service's configuration; `--help` (`-h`) and `--version` print and end the process. */
export function loadServiceConfig<S extends ConfigShape>(
  name: string,
  shape: S,
  sources: ConfigSources,
): ConfigOf<S> {
  if (sources.args.includes("--help") || sources.args.includes("-h")) end(helpText(`${name} [flags]`, shape));
  if (sources.args.includes("--version")) end(`${name} ${version}\n`);
  return loadConfig(shape, sources);
}

function end(text: string): never {
  process.stdout.write(text);
  process.exit(0);
}
