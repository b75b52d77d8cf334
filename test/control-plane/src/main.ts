import { once } from "node:events";
import { ensureBinary } from "./build.ts";
import { startControlPlane } from "./start.ts";

/** `node main.ts build` makes the binary ahead of time; `node main.ts up` runs a cluster until Ctrl-C. */
async function main(command: string | undefined): Promise<void> {
  switch (command) {
    case "build":
      console.log(await ensureBinary());
      return;
    case "up": {
      const interrupt = new AbortController();
      process.once("SIGINT", () => interrupt.abort()).once("SIGTERM", () => interrupt.abort());
      await using controlPlane = await startControlPlane({ log: console.error });
      console.log(`export KUBECONFIG=${controlPlane.kubeconfigPath}`);
      console.error("Ctrl-C stops it and removes everything.");
      if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
      return;
    }
    default:
      console.error("usage: node main.ts build|up");
      process.exitCode = 2;
  }
}

await main(process.argv[2]);
