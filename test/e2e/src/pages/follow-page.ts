import { cpSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { commands } from "@fleet-reloader/cli/commands";
import { runCommandLine } from "@fleet-reloader/cli/frame/command-line";
import type { SimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect } from "vitest";
import { kubectl, makeNamespace } from "./kubectl.ts";
import { isShown, type Page } from "./page.ts";

/** Where a page is followed. */
export interface PageSetting {
  /** The cluster that `kubectl` speaks to. */
  readonly cluster: SimCluster;
  /** A folder for the files of pages. */
  readonly folder: string;
  /** The environment of `fleet-reloader`. */
  readonly env: Readonly<Record<string, string>>;
  /** Files that a page names and does not show, by name. */
  readonly given: ReadonlyMap<string, string>;
  /** Where a folder that a page names is here. */
  readonly places: ReadonlyMap<string, string>;
}

/** Commands that act. They are run once; the others ask, and are asked until they answer what the page shows. */
const acts = ["freeze", "unfreeze", "retry", "replay", "release"];

/** Does what a page says, step by step, and compares each answer with the one that it shows. */
export async function followPage({ path, steps }: Page, setting: PageSetting): Promise<void> {
  const here = join(setting.folder, basename(path, ".md"));
  mkdirSync(here);
  const files = new Map(setting.given);
  for (const [name, content] of files) writeFileSync(join(here, name), content);
  const placed = (word: string): string => {
    if (files.has(word)) return join(here, word);
    const [place, at] = [...setting.places].find(([name]) => word.startsWith(name)) ?? ["", ""];
    return at + word.slice(place.length);
  };
  for (const step of steps) {
    if (step.type === "elsewhere") {
      installElsewhere(setting.cluster, step.words);
      continue;
    }
    if (step.type === "file") {
      files.set(step.name, step.text);
      writeFileSync(join(here, step.name), step.text);
      continue;
    }
    const [program = "", ...words] = step.words;
    const [first = "", second = ""] = words.map(placed);
    if (program === "cp") cpSync(first, second);
    else if (program === "mv") renameSync(first, second);
    else if (program === "kubectl") await change(setting.cluster, words, files);
    else if (program === "fleet-reloader") {
      const ask = async () => {
        const answer = await answerOf(words.map(placed), setting, step.shown);
        return expectShown(answer.replaceAll(`${here}/`, ""), step.shown);
      };
      if (acts.includes(words[0] ?? "")) await ask();
      else await until(`${path}: ${step.words.join(" ")}`, ask);
    } else throw new Error(`${path}: ${program} is no program that a page may use`);
  }
}

/** Of what a page installs elsewhere, only the namespace is made here. */
function installElsewhere(cluster: SimCluster, words: readonly string[]): void {
  if (words.includes("--create-namespace")) makeNamespace(cluster, words[words.indexOf("-n") + 1] ?? "");
}

async function change(
  cluster: SimCluster,
  words: readonly string[],
  files: ReadonlyMap<string, string>,
): Promise<void> {
  await kubectl(cluster, words, files);
  await adopted(cluster);
}

function expectShown(answer: string, shown: string): true {
  if (shown !== "" && !isShown(answer, shown)) expect(answer).toBe(shown);
  return true;
}

/** What a command line says, in this process. Throws at wrong words: a page has none. */
export async function answerOf(
  words: readonly string[],
  { env }: PageSetting,
  shown: string,
): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(commands, words, { env, stdin: Readable.from([""]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [output, errors] = await said;
  // With 1 lint has findings, or an act has found nothing to do: then a page shows what is said.
  if (code > 1 || (code > 0 && shown === ""))
    throw new Error(`fleet-reloader ${words.join(" ")} ended with ${code}: ${errors}`);
  return `${output}${errors}`;
}

/** Waits until what opted in has its applied state, as a reader does who types. */
export async function adopted(cluster: SimCluster): Promise<void> {
  await until("every workload with our annotations is adopted", () =>
    ["Deployment", "DaemonSet"]
      .flatMap((kind) => cluster.list(kind))
      .map(({ metadata }) => Object.keys(metadata.annotations ?? {}))
      .filter((keys) => keys.some((key) => key.includes("reloader.stakater.com/")))
      .every((keys) => keys.some((key) => key.startsWith("fleet-reloader.io/carried-"))),
  );
}
