import { type Problem, parsedText } from "./types.ts";

interface SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** `NAMESPACE/NAME[/KEY]`, one key of a Secret; undefined when nothing is given. */
export function secretKey(defaultKey: string) {
  return parsedText("", (given): SecretKey | undefined | Problem => {
    if (given === "") return undefined;
    const [namespace, name, key = defaultKey, ...rest] = given.split("/");
    if (namespace && name && key && rest.length === 0) return { namespace, name, key };
    return { problem: "names no Secret; write NAMESPACE/NAME or NAMESPACE/NAME/KEY" };
  });
}
