import * as z from "zod";
import { inGroup } from "../field.ts";
import { textValue } from "../types.ts";

/** Where freezes are declared. */
export const freezeFields = inGroup("Brakes", {
  freezeFile: {
    schema: textValue(""),
    meta: {
      flag: "freeze-file",
      placeholder: "FILE",
      description:
        "File with the list of freezes (YAML), read before every roll. Everything is frozen when the file is unreadable, when this flag names a missing file, or when the file existed and is gone.",
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
      flag: "freeze-configmap",
      placeholder: "NAMESPACE/NAME",
      description:
        "ConfigMap with the list of freezes (key freezes.yaml), in the hub: the first cluster of --kubeconfig or the one we run in. It is read before every roll and needs the right to get it. A ConfigMap that never existed freezes nothing; one that existed and is gone freezes everything.",
      defaultText: "none",
    },
  },
});
