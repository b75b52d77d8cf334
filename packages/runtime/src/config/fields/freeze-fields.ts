import { inGroup } from "../field.ts";
import { type Problem, parsedText, textValue } from "../types.ts";

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
    schema: parsedText("", readName),
    meta: {
      flag: "freeze-configmap",
      placeholder: "NAMESPACE/NAME",
      description:
        "ConfigMap with the list of freezes (key freezes.yaml), in the hub: the first cluster of --kubeconfig or the one we run in. It is read before every roll and needs the right to get it. A ConfigMap that never existed freezes nothing; one that existed and is gone freezes everything.",
      defaultText: "none",
    },
  },
});

function readName(
  given: string,
): { readonly namespace: string; readonly name: string } | undefined | Problem {
  if (given === "") return undefined;
  const [namespace, name, ...rest] = given.split("/");
  if (namespace && name && rest.length === 0) return { namespace, name };
  return { problem: "names no ConfigMap; write NAMESPACE/NAME" };
}
