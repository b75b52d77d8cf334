import { WriteTail } from "./fleet.ts";
import { tellUntil } from "./idle.ts";
import { exitCodeOf } from "./judge.ts";
import { byHandLines } from "./narration/by-hand.ts";
import { Narrator, type WriteLine } from "./narration/narrator.ts";
import { milliseconds, type Paint } from "./narration/paint.ts";
import { summaryLines } from "./narration/summary.ts";
import { Noise } from "./noise.ts";
import { type Outcome, type Playing, playStep, quietPeriodMs } from "./play.ts";
import { startReloader } from "./reloader.ts";
import { clusterNames } from "./seeds/clusters.ts";
import { type Stage, setStage } from "./stage.ts";
import { story } from "./story/story.ts";

export interface DemoOptions {
  readonly isOnce: boolean;
  readonly interrupt: AbortSignal;
  readonly write: WriteLine;
  readonly paint: Paint;
}

/** Sets the stage, starts the product, plays the story. Resolves to the exit code, with everything ended and removed. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { isOnce, interrupt, write } = options;
  const outcomes: Outcome[] = [];
  try {
    await perform(options, outcomes);
  } catch (error) {
    if (!interrupt.aborted) {
      write(`demo: ${whyOf(error)}`);
      return 1;
    }
  }
  if (interrupt.aborted) write(isOnce ? "demo: interrupted" : "demo: stopped");
  // Whoever ends a demo that stays has seen what they wanted to see.
  return isOnce || !interrupt.aborted ? exitCodeOf(outcomes, story.length) : 0;
}

async function perform(options: DemoOptions, outcomes: Outcome[]): Promise<void> {
  const { isOnce, interrupt, write, paint } = options;
  const narrator = new Narrator(write, paint);
  await using stage = await setStage();
  introduce(stage, options);
  const tail = new WriteTail(stage.fleet);
  tail.take();

  narrator.event(
    "./dev demo",
    `starts fleet-reloader with ${clusterNames.map((name) => `--context ${name}`).join(" ")}`,
  );
  const startedAt = performance.now();
  await using reloader = startReloader(stage);
  const urls = await reloader.ready(interrupt);
  narrator.event(
    "fleet-reloader",
    `is ready, ${Math.round(performance.now() - startedAt)} ms after its start`,
  );

  const signal = AbortSignal.any([interrupt, reloader.died]);
  const playing: Playing = { fleet: stage.fleet, tail, narrator, signal };
  {
    using noise = new Noise(stage.fleet);
    for (const step of story) outcomes.push(await playStep(step, playing));
    for (const line of summaryLines(outcomes, noise.writes, paint)) write(line);
  }
  if (isOnce) return;
  for (const line of byHandLines({ ...urls, kubeconfigPath: stage.kubeconfigPath }, paint)) write(line);
  await tellUntil(signal, tail, narrator);
  if (!interrupt.aborted) throw reloader.died.reason;
}

/** What is aborted says only that it was; its cause says why. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "AbortError" && error.cause instanceof Error ? error.cause.message : error.message;
}

function introduce({ fleet }: Stage, { write, paint }: DemoOptions): void {
  write(paint("title", "fleet-reloader on two simulated clusters, as it is shipped and in real time"));
  write(
    paint(
      "quiet",
      "Rolls are what the clusters' own write logs say. + is the time since the last change; of it, the",
    ),
  );
  write(
    paint(
      "quiet",
      `quiet period (default) is ${milliseconds(quietPeriodMs)}: what changes together rolls together.`,
    ),
  );
  write("");
  for (const name of clusterNames) {
    const count = (...kinds: readonly string[]) => kinds.flatMap((kind) => fleet[name].list(kind)).length;
    const workloads = count("Deployment", "StatefulSet", "DaemonSet");
    const sources = count("ConfigMap", "Secret");
    write(
      `  ${paint("name", name.padEnd(8))}  ${fleet[name].url}  ${workloads} workloads, ${sources} ConfigMaps and Secrets`,
    );
  }
  write("");
}
