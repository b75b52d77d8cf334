import { execFileSync } from "node:child_process";

/** The libraries a program is linked against, with those they need themselves and the loader, as `ldd` finds them here. */
export function sharedLibraries(program: string): readonly string[] {
  const said = execFileSync("ldd", [program], { encoding: "utf8" });
  const missing = /^\s*(\S+) => not found/m.exec(said)?.[1];
  if (missing !== undefined) throw new Error(`${program} needs ${missing}, which is not on this machine`);
  return said
    .split("\n")
    .map((line) => /(?:=>\s*)?(\/\S+) \(0x/.exec(line)?.[1])
    .filter((path) => path !== undefined);
}
