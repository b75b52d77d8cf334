import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { changeProgresses } from "@fleet-reloader/engine/overview/changes/change-summary";
import { ago } from "../age.ts";
import { changeAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, type ViewNode } from "../view-node.ts";

export type ShownChange = ApiAnswer<"changes">["changes"][number];

export const changeHeadings = ["Source", "Written", "By", "Clusters", "Workloads"] as const;

/** The cells of a change. */
export function changeRow(change: ShownChange, nowMs: number): readonly ViewNode[] {
  const { actors, clusterCount, id, source, time } = change;
  return [
    link(changeAddress(id, time), `${source.kind} ${source.namespace}/${source.name}`),
    ago(time, nowMs),
    actors.join(", ") || "unknown",
    String(clusterCount),
    progressMarks(change),
  ];
}

/** The number of workloads in each state. States that need a person come first. */
export function progressMarks({ workloads }: Pick<ShownChange, "workloads">): ViewNode {
  const marks = changeProgresses.flatMap((progress) =>
    workloads[progress] === 0 ? [] : [stateMark(progress, `${workloads[progress]} ${progress}`), " "],
  );
  return el("span", {}, ...(marks.length === 0 ? ["none"] : marks));
}
