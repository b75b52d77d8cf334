import { variableOfFlag } from "@fleet-reloader/runtime/config/field";
import { boolean, oneOf, textValue } from "@fleet-reloader/runtime/config/types";

/**
 * A flag of the command line alone with any text as its value; empty when it is absent. It may not be given twice: the last one alone
 * would count, and nobody would be told.
 */
export function textFlag(flag: string, placeholder: string, description: string) {
  return {
    schema: textValue(""),
    meta: { flag, env: cliEnvOf(flag), placeholder, description, defaultText: "none", isOnce: true },
  } as const;
}

/** A flag of the command line alone that takes no value. */
export function switchFlag(flag: string, description: string) {
  return {
    schema: boolean(false),
    meta: { flag, env: cliEnvOf(flag), placeholder: "BOOL", isSwitch: true, description },
  } as const;
}

/** `--namespace` (`-n`), as people write it for kubectl. */
export function namespaceFlag(description: string) {
  const { schema, meta } = textFlag("namespace", "NAME", description);
  return { schema, meta: { ...meta, aliases: ["n"] } } as const;
}

/** `--output` (`-o`): the format of an answer. */
export function outputFlag<const T extends readonly [string, ...string[]]>(
  formats: T,
  { standard, description }: { readonly standard: T[number]; readonly description: string },
) {
  return {
    schema: oneOf(formats, standard),
    meta: {
      flag: "output",
      aliases: ["o"],
      env: cliEnvOf("output"),
      placeholder: formats.join("|"),
      description,
    },
  };
}

function cliEnvOf(flag: string): string {
  return variableOfFlag(`cli-${flag}`);
}
