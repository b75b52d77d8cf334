import { ApiClient, apiPath } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { text } from "../api/field.ts";
import { serveMethods } from "../child/serve.ts";
import { startInformer } from "../peer-model/informer.ts";
import type { FloorMethods } from "./methods.ts";

/**
 * What no tool can do without, and nothing else: see the change on a watch, write the template; in between it may read both
 * objects as they are now. No queue, no index, no hash, nobody who could take over.
 */
const methods: FloorMethods = {
  async start({ target, namespace, reads }) {
    const client = new ApiClient(target);
    const read = async (name: string): Promise<object> => {
      const [deployment] = await Promise.all([
        expectOk(`get ${name}`, client.send("GET", apiPath("Deployment", namespace, name))),
        expectOk(`get ${name}`, client.send("GET", apiPath("ConfigMap", namespace, name))),
      ]);
      return { resourceVersion: text(deployment, "metadata", "resourceVersion") };
    };
    const roll = async (name: string): Promise<void> => {
      const metadata = reads ? await read(name) : {};
      const annotations = { "bench/floor": String(performance.now()) };
      const patch = { metadata, spec: { template: { metadata: { annotations } } } };
      await expectOk(`patch ${name}`, client.patch("Deployment", name, patch, namespace));
    };
    await startInformer({
      target,
      namespace,
      kind: "ConfigMap",
      onUpdate: (_, after) => void roll(text(after, "metadata", "name")),
    });
  },
};

serveMethods(methods);
