import * as z from "zod";
import { textValue } from "../types.ts";

/** Where freezes are declared. */
export const freezeFields = {
  freezeFile: {
    schema: textValue(""),
    meta: {
      group: "Brakes",
      flag: "freeze-file",
      env: "FLEET_RELOADER_FREEZE_FILE",
      placeholder: "FILE",
      description:
        "What is frozen, a YAML list, looked at before every roll. One that cannot be read freezes everything, and so does one that is named here and missing, or that was there and is gone.",
      defaultText: "freezes.yaml in the data dir",
    },
  },
  freezeConfigmap: {
    schema: z
      .string()
      .default("")
      .transform((given, context) => {
        if (given === "") return undefined;
        const [namespace, name, ...rest] = given.split("/");
        if (namespace && name && rest.length === 0) return { namespace, name };
        context.addIssue({ code: "custom", message: "names no ConfigMap; write NAMESPACE/NAME" });
        return z.NEVER;
      }),
    meta: {
      group: "Brakes",
      flag: "freeze-configmap",
      env: "FLEET_RELOADER_FREEZE_CONFIGMAP",
      placeholder: "NAMESPACE/NAME",
      description:
        "The same in a ConfigMap, key freezes.yaml, of the hub: the first cluster of --kubeconfig or the one we run in. Read before every roll; needs get on it. One that never was freezes nothing, one that is gone everything.",
      defaultText: "none",
    },
  },
} as const;
