import { Fault } from "@fleet-reloader/domain/fault";
import type { CommandProcess } from "../frame/command.ts";

/** No token is longer. */
const secretLengthMax = 4096;

const interruptKey = "\u0003";
const endKey = "\u0004";
const eraseKeys = ["\u007f", "\b"];

/** Reads one line that nobody sees: from a terminal without echo, after the question, or from a pipe. */
export async function readSecretLine(
  question: string,
  { stderr, stdin }: Pick<CommandProcess, "stderr" | "stdin">,
): Promise<string> {
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) {
    stderr.write(question);
    stdin.setRawMode?.(true);
  }
  try {
    return await readLine(stdin, isTerminal);
  } finally {
    if (isTerminal) {
      stdin.setRawMode?.(false);
      stderr.write("\n");
    }
  }
}

/** A terminal without echo sends each key as it is. */
async function readLine(stdin: CommandProcess["stdin"], isTerminal: boolean): Promise<string> {
  let line = "";
  for await (const chunk of stdin) {
    for (const key of String(chunk)) {
      if (key === "\n" || key === "\r" || (isTerminal && key === endKey)) return line;
      if (isTerminal && key === interruptKey)
        throw new Fault("config.invalid", "nobody signed in: interrupted");
      if (isTerminal && eraseKeys.includes(key)) line = line.slice(0, -1);
      else line += key;
    }
    if (line.length > secretLengthMax) return line;
  }
  return line;
}
