/** The image's first program: the service that the first argument names, or all of them in one process. */
import process from "node:process";

const services = ["standalone", "watcher", "worker"];
const [first = ""] = process.argv.slice(2);
const verbs = ["freeze", "unfreeze", "freezes", "history"];
const isVerb = verbs.includes(first);
const isNamed = !isVerb && first !== "" && !first.startsWith("-");
if (isNamed && !services.includes(first)) {
  process.stderr.write(
    `${first}: no service of this name; write ${[...services, ...verbs].join(", ")}, or nothing\n`,
  );
  // sysexits.h EX_CONFIG, as for all that is wrong with what we were told.
  process.exit(78);
}
if (isNamed) process.argv.splice(2, 1);
// The verb itself is what the command line reads.
await import(`./services/${isVerb ? "cli" : isNamed ? first : "standalone"}/dist/main.mjs`);
