import { annotationFields } from "@fleet-reloader/runtime/config/fields/annotation-fields";
import { boolean } from "@fleet-reloader/runtime/config/types";
import { outputFlag } from "../frame/cli-fields.ts";

/** The flags of `lint` alone. */
const lintFields = {
  output: outputFlag(["text", "json", "sarif"], {
    standard: "text",
    description: "text: one line for each finding; json; sarif: SARIF 2.1.0 for code scanning.",
  }),
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
