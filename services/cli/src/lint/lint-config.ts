import { annotationFields } from "@fleet-reloader/runtime/config/fields/annotation-fields";
import { boolean, oneOf } from "@fleet-reloader/runtime/config/types";

/** The flags of `lint` alone. */
const lintFields = {
  output: {
    schema: oneOf(["text", "json", "sarif"], "text"),
    meta: {
      flag: "output",
      aliases: ["o"],
      env: "FLEET_RELOADER_CLI_OUTPUT",
      placeholder: "FORMAT",
      description: "text: one line for each finding; json; sarif: SARIF 2.1.0 for code scanning.",
    },
  },
  autoReloadAll: {
    schema: boolean(false),
    meta: {
      flag: "auto-reload-all",
      env: "FLEET_RELOADER_AUTO_RELOAD_ALL",
      placeholder: "BOOL",
      isSwitch: true,
      description: "Workloads without annotations are reloaded, too.",
    },
  },
} as const;

/** The flags of `lint`. The names of annotations are those of the services, so that both read manifests alike. */
export const lintConfig = Object.assign(lintFields, annotationFields);

export const lintUsage = `fleet-reloader lint FILE... | - [flags]

Finds mistakes in the annotations of manifests before they reach a cluster. Give all files that belong together:
a source that no file has is taken to be missing. FILE is YAML or JSON, or a folder of such files; - is the
standard input. No content of a Secret or a ConfigMap is shown.

Examples:
  fleet-reloader lint deploy/
  kustomize build . | fleet-reloader lint -
  helm template my-chart | fleet-reloader lint - -o sarif > lint.sarif

Exit codes: 0 nothing found, or notes only; 1 errors or warnings found; 2 wrong usage, or a file that cannot be read.`;
