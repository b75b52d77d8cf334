import { resolve } from "node:path";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RegistrationPolicy } from "../access.ts";
import { readKubeconfig } from "../kubeconfig-contexts.ts";
import type { Access, ClusterProvider, Registration } from "../registration.ts";
import { type WatchFolder, watchFolder } from "./folder-hints.ts";
import { lookAt, type ObservedFile, readFolder } from "./kubeconfig-files.ts";

export interface KubeconfigDirectoryOptions extends RegistrationPolicy {
  readonly directory: string;
  readonly clock: Clock;
  readonly watch?: WatchFolder;
}

/** The content of a file when it was last parsed. */
interface KnownFile {
  readonly stamp: string;
  readonly contexts: ReadonlyMap<string, Access>;
}

/** Writers write in several steps, and the links of a volume are swapped in several. A folder without changes for this long is complete. */
const settleMs = 400;
/** A writer that never finishes must not hide the other files. */
const settleRoundsMax = 10;
/** For lost hints, and for file systems without hints. */
const rescanMs = 10_000;
/** A missing folder cannot be watched. */
const missingRescanMs = 1000;

/**
 * Every context of every kubeconfig in a folder is a cluster. Its name is that of the file, followed by that of the context when the file has
 * several. Files may appear, change and disappear at any time. The clusters of an unreadable file stay registered, with the reason.
 */
export function createKubeconfigDirectory(options: KubeconfigDirectoryOptions): ClusterProvider {
  const directory = resolve(options.directory);
  const register = createFileRegister(directory, options);
  let notReady: readonly string[] = [`--kubeconfig-dir ${directory}: it has not been read yet`];
  return {
    async run(signal, onChange) {
      const hints = new Hints(options.clock, options.watch ?? watchFolder);
      try {
        while (!signal.aborted) {
          hints.clear();
          const observed = await readFolder(directory);
          if (observed.type === "unseen") {
            notReady = [`--kubeconfig-dir ${directory}: ${observed.why}; we look again`];
          } else {
            hints.watch(directory, observed.inode);
            const registrations = await register(observed.files);
            notReady = [];
            if (!signal.aborted) onChange(registrations);
          }
          await hints.next(observed.type === "seen" ? rescanMs : missingRescanMs, signal);
        }
      } finally {
        hints.close();
      }
    },
    get notReady() {
      return notReady;
    },
  };
}

/** Turns the files of a folder into registrations, and keeps the last good content of each file. */
function createFileRegister(directory: string, options: RegistrationPolicy & { readonly clock: Clock }) {
  const known = new Map<string, KnownFile>();
  return register;

  async function register(files: readonly string[]): Promise<readonly Registration[]> {
    const present = new Set(files);
    for (const name of known.keys()) if (!present.has(name)) known.delete(name);
    const stems = Map.groupBy(files, stemOf);
    const all: Registration[] = [];
    for (const file of files) {
      const isOnly = stems.get(stemOf(file))?.length === 1;
      // One at a time: a thousand kubeconfigs at once would block the process for half a second.
      all.push(...(await registrationsOf(file, isOnly ? stemOf(file) : file)));
    }
    return all;
  }

  async function registrationsOf(file: string, name: string): Promise<readonly Registration[]> {
    const path = resolve(directory, file);
    const observed = await lookAt(path, known.get(file)?.stamp, options.clock.now());
    if (observed.type === "gone") {
      known.delete(file);
      return [];
    }
    const problem = problemOf(file, path, observed);
    const contexts = known.get(file)?.contexts;
    if (contexts === undefined)
      return problem === undefined ? [] : [registration(path, name, unusable(path, problem))];
    return [...contexts].map(([context, access]) =>
      registration(
        `${path}+${context}`,
        contexts.size === 1 ? name : `${name}+${context}`,
        problem === undefined ? access : unusable(path, problem),
      ),
    );
  }

  /** Why the file cannot be used now; undefined when its known content is up to date. */
  function problemOf(file: string, path: string, observed: ObservedFile): string | undefined {
    if (observed.type === "unreadable") return observed.why;
    if (observed.type !== "read") return undefined;
    const { allowExec, allowLoopbackHttp } = options;
    const origin = { named: `file ${path}`, folder: directory, allowExec, allowLoopbackHttp };
    const read = readKubeconfig(observed.text, origin);
    if ("problem" in read) return read.problem;
    known.set(file, { stamp: observed.stamp, contexts: read.contexts });
    return undefined;
  }
}

function registration(where: string, name: string, access: Access): Registration {
  return { id: `directory#${where}`, name, labels: {}, access: renamed(access, name) };
}

/** Messages of its connection name the cluster; contexts of different files often have the same name. */
function renamed(access: Access, name: string): Access {
  return access.type === "usable" ? { ...access, target: { ...access.target, name } } : access;
}

function unusable(path: string, problem: string): Access {
  return { type: "unusable", why: `file ${path}: ${problem}` };
}

function stemOf(file: string): string {
  return file.replace(/(\.kubeconfig)?\.(yaml|yml)$|\.kubeconfig$/, "");
}

/** Waits for a hint of a change, then until the changes end. */
class Hints {
  readonly #clock: Clock;
  readonly #watch: WatchFolder;
  #hinted = new AbortController();
  #watched: { readonly inode: string; close(): void } | undefined;

  constructor(clock: Clock, watch: WatchFolder) {
    this.#clock = clock;
    this.#watch = watch;
  }

  clear(): void {
    this.#hinted = new AbortController();
  }

  /** Watches again when another folder has replaced this one. */
  watch(folder: string, inode: string): void {
    if (this.#watched?.inode === inode) return;
    this.close();
    const watcher = this.#watch(folder, () => this.#hinted.abort());
    this.#watched = { inode, close: () => watcher.close() };
    // A change between the read and the watch gave no hint.
    this.#hinted.abort();
  }

  async next(waitMs: number, signal: AbortSignal): Promise<void> {
    await this.#quiet(waitMs, signal);
    for (let round = 0; this.#hinted.signal.aborted && round < settleRoundsMax; round += 1) {
      this.clear();
      await this.#quiet(settleMs, signal);
    }
  }

  close(): void {
    this.#watched?.close();
    this.#watched = undefined;
  }

  /** Sleeps for this time, or until a hint comes. */
  async #quiet(ms: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(ms, AbortSignal.any([signal, this.#hinted.signal])).catch(() => undefined);
  }
}
