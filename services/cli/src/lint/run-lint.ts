import type { Readable, Writable } from "node:stream";
import { asFault } from "@fleet-reloader/domain/fault";
import { lintManifests } from "@fleet-reloader/domain/lint/lint-manifests";
import { dialectOf } from "@fleet-reloader/runtime/config/fields/annotation-fields";
import { helpText } from "@fleet-reloader/runtime/config/help";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { version } from "@fleet-reloader/runtime/process/version";
import { lintConfig, lintUsage } from "./lint-config.ts";
import { lintReport } from "./lint-report.ts";
import { lintWords } from "./lint-words.ts";
import { readManifestFiles, type UnreadManifest } from "./manifest-files.ts";
import { parseManifests } from "./parse-manifests.ts";

/** Wrong usage, or input that cannot be read: a pipeline tells it from findings. */
const unusableInput = 2;

/** The process, as far as the command sees it. */
export interface LintProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Reads the files and prints what is wrong with them. Answers the exit code. */
export async function runLint(args: readonly string[], io: LintProcess): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    io.stdout.write(helpText(lintUsage, lintConfig));
    return 0;
  }
  if (args.includes("--version")) {
    io.stdout.write(`fleet-reloader lint ${version}\n`);
    return 0;
  }
  const { files, flags } = lintWords(args);
  try {
    const config = loadConfig(lintConfig, { args: flags, env: io.env });
    if (files.length > 0) return await lintFiles(files, config, io);
    io.stderr.write("FILE: none is given; write files or folders, or - for the standard input\n");
  } catch (error) {
    const fault = asFault(error);
    if (fault.class !== "misconfigured") throw error;
    io.stderr.write(`${fault.message}\n`);
  }
  return unusableInput;
}

async function lintFiles(
  files: readonly string[],
  config: ReturnType<typeof loadConfig<typeof lintConfig>>,
  io: LintProcess,
): Promise<number> {
  const read = await readManifestFiles(files, io.stdin);
  const parsed = read.map((one) =>
    "text" in one ? parseManifests(one) : { manifests: [], templates: [], unread: [one] },
  );
  const manifests = parsed.flatMap((each) => each.manifests);
  const settings = {
    dialect: dialectOf(config),
    autoReloadAll: config.autoReloadAll,
    compile: createPatternCompiler(),
  };
  const findings = [...parsed.flatMap(({ templates }) => templates), ...lintManifests(manifests, settings)];
  io.stdout.write(lintReport(findings, config.output));
  const unread: readonly UnreadManifest[] = parsed.flatMap((each) => each.unread);
  for (const { file, why } of unread) io.stderr.write(`${printable(`${file}: ${why}`)}\n`);
  if (unread.length > 0) return unusableInput;
  return findings.some(({ severity }) => severity !== "note") ? 1 : 0;
}
