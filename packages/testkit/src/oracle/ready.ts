import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { isAsked, mayAsk, sources } from "../simulation/intent.ts";
import type { Readiness } from "../simulation/simulated-watcher.ts";
import { type Judged, writesOf } from "./judged.ts";
import { nameOf, noteOf } from "./note.ts";

/**
 * Ready means adopted, where nothing fails: of what was there when the watcher began, there is a note by the time it says that it is ready. A
 * workload of which a source was changed meanwhile may wait for quiet, to be rolled: nothing is noted on it until then.
 */
export function unlookedWhenReady(judged: Judged): readonly string[] {
  return judged.ready.flatMap((ready) => unlooked(judged, ready));
}

function unlooked(judged: Judged, { begunAt, at }: Readiness): readonly string[] {
  const { cluster, people } = judged;
  return cluster.workloadRefs.flatMap((ref) => {
    const writes = writesOf(judged, ref).filter(({ position }) => position < at);
    const byPeople = writes.findLast(({ by }) => by === "people");
    const intent = people.intentAt(ref, at);
    if (intent === undefined || byPeople === undefined || byPeople.position >= begunAt) return [];
    const mayWait = sources.some(
      (source) => mayAsk(intent, source) && people.versionsBetween(source, begunAt, at).length > 1,
    );
    if (mayWait) return [];
    const note = noteOf(writes.at(-1)?.after?.annotations);
    return sources.flatMap((source) => {
      const { from, live } = people.versionAt(source, at);
      const isExpected = live !== undefined && from <= begunAt && isAsked(intent, source, live);
      const what = `${workloadKey(ref)}: ready at write ${at}, and ${nameOf(source)} is not noted`;
      return isExpected && note?.[nameOf(source)] === undefined ? [what] : [];
    });
  });
}
