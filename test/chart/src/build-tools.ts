import { ensureTool, toolNames } from "./tools/go-tool.ts";

/** Makes Helm and the others ahead of the tests that need them. */
for (const name of toolNames) console.log(await ensureTool(name));
