import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultProxy, startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import type { Site } from "../../site.ts";
import type { World } from "../../world.ts";

/** A product for one namespace, with a short quiet period unless another is asked for. */
export type Launch = (at: Site, options?: Omit<ProductOptions, "kubeconfig">) => Product;

export function launcher(world: () => World): Launch {
  return (at, options = {}) =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      ...options,
      args: argsFor(at, options.args),
    });
}

/** A product that reaches the API server of its world only through a proxy. */
export async function launchBehindProxy(
  { target }: World,
  at: Site,
): Promise<AsyncDisposable & { readonly product: Product; readonly proxy: FaultProxy }> {
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), "fr-proxied-"));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const proxy = stack.use(await startFaultProxy({ target: target.url }));
  const kubeconfig = join(directory, "proxy.yaml");
  writeFileSync(kubeconfig, proxy.kubeconfig("proxy", target.token), { mode: 0o600 });
  const product = stack.use(startProduct({ kubeconfig, args: argsFor(at) }));
  const running = stack.move();
  return { product, proxy, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** The last of two flags counts. */
function argsFor(at: Site, args: readonly string[] = []): readonly string[] {
  return ["--namespace", at.namespace, "--debounce", "500ms", ...args];
}
