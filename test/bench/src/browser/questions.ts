import { fleetClusterName } from "../world/asked-fleet.ts";

/** What the views of the page ask, with every filter that they have. */
export const pageQuestions: readonly string[] = [
  "/status",
  "/status?since=2h",
  "/clusters",
  `/clusters?cluster=${fleetClusterName(7)}`,
  "/changes",
  "/changes?limit=1000",
  "/changes?since=2h",
  `/changes?cluster=${fleetClusterName(7)}`,
  "/changes?namespace=team-7",
  "/changes?name=credentials-77",
  "/changes?change=f1-77",
  "/changes/f1-77",
  "/held",
  "/held?limit=1000",
  `/held?cluster=${fleetClusterName(7)}`,
  "/held?namespace=team-0&reason=Frozen",
  "/queue",
  "/operators",
  "/operators?action=retry&text=disk",
  "/workloads",
  "/workloads?limit=1000",
  `/workloads?cluster=${fleetClusterName(7)}`,
  "/workloads?namespace=team-7",
];

/** An answer of the API, whole. */
export interface TimedAnswer {
  readonly question: string;
  readonly ms: number;
  readonly bytes: number;
}

/** Asks one question. What is not answered spoils the run. */
export async function timedAnswer(origin: string, question: string): Promise<TimedAnswer> {
  const beganAt = performance.now();
  const answer = await fetch(`${origin}/api/v1${question}`);
  const { byteLength } = await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${question}: ${answer.status}`);
  return { question, ms: performance.now() - beganAt, bytes: byteLength };
}
