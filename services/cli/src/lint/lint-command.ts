import { lintManifests } from "@fleet-reloader/domain/lint/lint-manifests";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { dialectOf } from "@fleet-reloader/runtime/config/fields/annotation-fields";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { lintConfig } from "./lint-config.ts";
import { lintReport } from "./lint-report.ts";
import { readManifestFiles, type UnreadManifest } from "./manifest-files.ts";
import { parseManifests } from "./parse-manifests.ts";

/** Wrong usage, or unreadable input: a pipeline can tell it from findings. */
const unusableInput = 2;

export const lintCommand = defineCommand({
  name: "lint",
  purpose: "Find mistakes in the annotations of manifests before they reach a cluster",
  details: `Give all files that belong together: a source that no file has is taken to be missing. FILE is YAML or JSON, or a folder
of such files; - is the standard input. No content of a Secret or a ConfigMap is shown.`,
  examples: [
    "fleet-reloader lint deploy/",
    "kustomize build . | fleet-reloader lint -",
    "helm template my-chart | fleet-reloader lint - -o sarif > lint.sarif",
  ],
  arguments: {
    placeholder: "FILE... | -",
    mend: "write files or folders, or - for the standard input",
    min: 1,
    max: Number.POSITIVE_INFINITY,
  },
  flags: lintConfig,
  exitCodes: {
    0: "nothing found, or notes only",
    1: "errors or warnings found",
    [unusableInput]: "wrong usage, or a file that cannot be read",
  },
  usageExitCode: unusableInput,
  run: async ({ config, words }, io) => await lintFiles(words, config, io),
});

async function lintFiles(
  files: readonly string[],
  config: ConfigOf<typeof lintConfig>,
  io: CommandProcess,
): Promise<number> {
  const read = await readManifestFiles(files, io.stdin);
  const parsed = read.map((one) =>
    "text" in one ? parseManifests(one) : { manifests: [], templates: [], unread: [one] },
  );
  const manifests = parsed.flatMap((each) => each.manifests);
  const { autoReloadAll } = config;
  const settings = { dialect: dialectOf(config), autoReloadAll, compile: createPatternCompiler() };
  const findings = [...parsed.flatMap(({ templates }) => templates), ...lintManifests(manifests, settings)];
  io.stdout.write(lintReport(findings, config.output));
  const unread: readonly UnreadManifest[] = parsed.flatMap((each) => each.unread);
  for (const { file, why } of unread) io.stderr.write(`${printable(`${file}: ${why}`)}\n`);
  if (unread.length > 0) return unusableInput;
  return findings.some(({ severity }) => severity !== "note") ? 1 : 0;
}
