/** The image's first program: the service that the first argument names, or all of them in one process, or a command. */
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const services = ["standalone", "watcher", "worker", "dashboard"];
const given = process.argv.slice(2);
const [first = ""] = given;
const isNamed = services.includes(first);
// Any other word is a command, or is refused by the command line.
const isCommand = !isNamed && first !== "" && !first.startsWith("-");
const isShort = isCommand || ["--help", "-h", "--version"].some((flag) => given.includes(flag));
if (!isShort && !process.execArgv.some((flag) => flag.includes("old-space-size"))) replaceByService();

if (isNamed) process.argv.splice(2, 1);
const service = isCommand ? "cli" : isNamed ? first : "standalone";
await import(new URL(`services/${service}/dist/main.mjs`, import.meta.url).href);

/**
 * The same once more with the heap limits of a service (infra/bundle/node-args), which Node takes at its start only; it stays
 * the same process (man 2 execve). What is over soon gets none. Where this is not possible the service runs without limits.
 */
function replaceByService(): void {
  const limits = readFileSync(new URL("node-args", import.meta.url), "utf8")
    .trim()
    .split(" ");
  const args = [process.execPath, ...process.execArgv, ...limits, fileURLToPath(import.meta.url), ...given];
  try {
    process.execve?.(process.execPath, args, process.env);
  } catch (error) {
    process.stderr.write(`without heap limits: ${String(error)}\n`);
  }
}
