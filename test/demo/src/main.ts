import process from "node:process";
import { readArguments, usage } from "./arguments.ts";
import { runDemo } from "./demo.ts";
import { interruption } from "./interruption.ts";
import { paintFor } from "./narration/paint.ts";

const read = readArguments(process.argv.slice(2));
switch (read.type) {
  case "help":
    process.stdout.write(usage);
    break;
  case "wrong":
    process.stderr.write(`demo: ${read.message}\n`);
    process.exitCode = 2;
    break;
  case "play":
    // Ends at once: after an interruption something may still be waiting for a product that is gone.
    process.exit(
      await runDemo({
        isOnce: read.isOnce,
        interrupt: interruption(),
        write: (line) => void process.stdout.write(`${line}\n`),
        paint: paintFor(process.stdout),
      }),
    );
}
