import { parseArgs } from "node:util";

export type Arguments =
  | { readonly type: "play"; readonly isOnce: boolean }
  | { readonly type: "help" }
  | { readonly type: "wrong"; readonly message: string };

export const usage = `usage: ./dev demo [--once]

  Two simulated clusters in this process, the product as it is shipped in another, and a story of 40
  seconds. Afterwards it runs on, for you to try things, until Ctrl-C.

  --once  ends after the story: 0 when every step went as told, 1 otherwise
`;

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { once: { type: "boolean" }, help: { type: "boolean", short: "h" } },
      strict: true,
    });
    return values.help === true ? { type: "help" } : { type: "play", isOnce: values.once === true };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "wrong", message: `${why.split(". ")[0]}; --help shows what there is` };
  }
}
