import { type JsonObject, jsonField, jsonList } from "@fleet-reloader/domain/json";
import { text } from "../json.ts";

/** Variables that make a program run another one. */
const takesOver = new RegExp(
  `^(${[
    ...["PATH", "LD_.*", "DYLD_.*", "GCONV_PATH"],
    // Shells: files that they read, functions that replace commands, and what a trace runs for each line.
    ...["ENV", "BASH_ENV", "BASH_FUNC_.*", "SHELLOPTS", "BASHOPTS", "PS4"],
    ...["NODE_OPTIONS", "PYTHON.*", "PERL.*", "RUBY.*", "CLOUDSDK_PYTHON.*"],
  ].join("|")})$`,
);

/**
 * Why the plugin of a registration's user must not be started. Otherwise the author of a registration could run any command in this process' pod.
 * An allowed command still gets the registration's arguments and variables.
 */
export function execProblem(user: JsonObject, allowed: readonly string[]): string | undefined {
  const exec = jsonField(user, "exec") ?? undefined;
  if (exec === undefined) return undefined;
  const command = text(exec, "command");
  if (command === "") return "the user's exec plugin has no command; name it";
  if (!allowed.includes(command))
    return `the user's exec plugin ${shownCommand(command)} is not allowed; name it with --allow-exec, or use a token or a client certificate`;
  if (jsonField(exec, "provideClusterInfo") === true)
    return `the user's exec plugin ${shownCommand(command)} wants provideClusterInfo, which is not supported; give it its cluster by an argument`;
  const wrong = contentProblem(exec);
  if (wrong !== undefined) return `the user's exec plugin ${shownCommand(command)} ${wrong}`;
  const variable = jsonList(exec, "env")
    .map((one) => text(one, "name"))
    .find((name) => takesOver.test(name));
  return variable === undefined
    ? undefined
    : `the user's exec plugin ${shownCommand(command)} may not be given the variable ${variable}; take it out of env`;
}

/** Far more than a plugin needs or Linux accepts: YAML can repeat one long text with a single word. */
const contentMaxLength = 64 * 1024;

/** Only text is accepted: nested values may grow without limit when they are written out. */
function contentProblem(exec: unknown): string | undefined {
  const given = [
    ...jsonList(exec, "args").map((arg, at) => [`args[${at}]`, arg] as const),
    ...jsonList(exec, "env").flatMap((one, at) =>
      ["name", "value"].map((name) => [`env[${at}].${name}`, jsonField(one, name) ?? ""] as const),
    ),
  ];
  let length = 0;
  for (const [name, value] of given) {
    if (typeof value !== "string") return `has ${name}, which is no text; put its value in quotes`;
    length += value.length;
  }
  return length > contentMaxLength
    ? `has args and env of more than ${contentMaxLength / 1024} KiB; shorten them`
    : undefined;
}

/** A command is a name or a path. Anything else (such as a whole script) may contain secrets and is not repeated. */
export function shownCommand(command: string): string {
  return /^[\w./+-]{1,128}$/.test(command)
    ? JSON.stringify(command)
    : "(its command is no name of a program)";
}
