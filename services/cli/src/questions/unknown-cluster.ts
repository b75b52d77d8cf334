import { Fault } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";
import type { CommandProcess } from "../frame/command.ts";
import type { FleetQuestions } from "./fleet-questions.ts";

/**
 * Says of an empty answer from the history that no cluster is called as the question says; an empty name is no name. It is no refusal: the
 * history also knows clusters that are registered no more, under the names that they had.
 */
export async function warnOfUnknownCluster(
  cluster: string,
  fleet: Pick<FleetQuestions, "clusters">,
  { stderr }: Pick<CommandProcess, "stderr">,
): Promise<void> {
  if (cluster === "") return;
  try {
    await fleet.clusters(cluster);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const flag = error.code === "question.invalid" ? "--" : "";
    stderr.write(`warning: ${flag}${printable(error.message)}\n`);
  }
}
