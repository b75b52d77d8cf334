import { join } from "node:path";
import { ensureBinary, isExecutable } from "./build.ts";
import type { Command } from "./component.ts";

/** What to run for each part; `controllers` is undefined when nobody asked for it. */
export interface Binaries {
  readonly etcd: Command;
  readonly apiServer: Command;
  readonly controllers: Command | undefined;
}

/**
 * The folder in `KUBEBUILDER_ASSETS` when that is set (as users of envtest have it), else our own
 * binary. Such a folder usually lacks kube-controller-manager; our binary then plays this one part.
 */
export async function resolveBinaries(want: {
  readonly controllers: boolean;
  readonly log?: ((line: string) => void) | undefined;
}): Promise<Binaries> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const find = async (name: string, mayBeAbsent: boolean): Promise<Command> => {
    if (assets) {
      const path = join(assets, name);
      if (await isExecutable(path)) return { file: path, args: [] };
      if (!mayBeAbsent) {
        throw new Error(
          `KUBEBUILDER_ASSETS=${assets} holds no executable ${name}. Put it there or unset the variable.`,
        );
      }
    }
    return { file: await ensureBinary(want.log === undefined ? {} : { log: want.log }), args: [name] };
  };
  return {
    etcd: await find("etcd", false),
    apiServer: await find("kube-apiserver", false),
    controllers: want.controllers ? await find("kube-controller-manager", true) : undefined,
  };
}
