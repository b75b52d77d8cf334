import * as z from "zod";

/** `NAMESPACE/NAME[/KEY]`, one key of a Secret; undefined when nothing is given. */
export function secretKey(defaultKey: string) {
  return z
    .string()
    .default("")
    .transform((given, context) => {
      if (given === "") return undefined;
      const [namespace, name, key = defaultKey, ...rest] = given.split("/");
      if (namespace && name && key && rest.length === 0) return { namespace, name, key };
      context.addIssue({
        code: "custom",
        message: "names no Secret; write NAMESPACE/NAME or NAMESPACE/NAME/KEY",
      });
      return z.NEVER;
    });
}
