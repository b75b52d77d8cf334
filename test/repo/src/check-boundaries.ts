import process from "node:process";
import { cruiseFolders } from "./cruise.ts";

/** A cruiser that cannot read TypeScript sees nothing and finds nothing; below this many modules it saw nothing. */
const modulesMin = 100;

const { modules, violations } = await cruiseFolders(["packages", "services"]);
const own = modules.filter((module) => module.endsWith(".ts"));
for (const { rule, from, to } of violations) process.stderr.write(`${rule}: ${from} → ${to}\n`);
if (own.length < modulesMin)
  process.stderr.write(`only ${own.length} modules were seen: the check is blind\n`);
process.stdout.write(`${own.length} modules, ${violations.length} violations\n`);
process.exitCode = violations.length > 0 || own.length < modulesMin ? 1 : 0;
