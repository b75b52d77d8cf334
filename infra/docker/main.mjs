/** The image's first program: the service that the first argument names, or all of them in one process. */
import process from "node:process";

const services = ["standalone", "watcher", "worker"];
const [first = ""] = process.argv.slice(2);
const isNamed = first !== "" && !first.startsWith("-");
if (isNamed && !services.includes(first)) {
  process.stderr.write(`${first}: no service of this name; write ${services.join(", ")}, or nothing\n`);
  // sysexits.h EX_CONFIG, as for all that is wrong with what we were told.
  process.exit(78);
}
if (isNamed) process.argv.splice(2, 1);
await import(`./services/${isNamed ? first : "standalone"}/dist/main.mjs`);
