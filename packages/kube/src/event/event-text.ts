import { compatKindName, compatResourceName } from "@fleet-reloader/domain/compat/kind-name";
import type { EventReason } from "@fleet-reloader/domain/event-reasons";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type {
  EndReport,
  FailureReport,
  HoldReport,
  RolledSource,
  RollReport,
  UnreadableReport,
} from "@fleet-reloader/engine/ports/reporter";

/** The text of an Event about a workload: names and reasons, never content. */
export interface EventText {
  readonly type: "Normal" | "Warning";
  readonly reason: EventReason;
  readonly message: string;
  /** The reporting component: the peer has one for each kind of source, and filters use it. */
  readonly component: string;
}

/** The API server takes no longer message (core/v1 Event validation). */
const eventMessageMax = 1024;
/** More sources than a person reads in one line. */
const eventSourcesMax = 5;
const failureLengthMax = 600;

/** The peer's sentence; with several sources they are listed, and each is followed by the reason why it counts. */
export function rolledText({ workload, sources }: RollReport): EventText {
  const named = sources.slice(0, eventSourcesMax).map(describeSource);
  const more = sources.length - named.length;
  const list = more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
  const { kind, namespace, name } = workload;
  return {
    type: "Normal",
    reason: "Reloaded",
    message: cut(
      `Changes detected in ${list}, Updated '${name}' of type '${kind}' in namespace '${namespace}'`,
      eventMessageMax,
    ),
    component: componentOf(sources.map((source) => source.kind)),
  };
}

export function failedText({ workload, code, message, changedKinds }: FailureReport): EventText {
  const { kind, namespace, name } = workload;
  return {
    type: "Warning",
    reason: "ReloadFail",
    message: cut(
      `Update for '${name}' of type '${kind}' in namespace '${namespace}' failed with error ${code}: ${cut(message, failureLengthMax)}`,
      eventMessageMax,
    ),
    component: componentOf(changedKinds),
  };
}

/** Undefined: no Event is needed, since the rollout went well or waits as somebody wished. */
export function endedText({ workload, result, reason, message }: EndReport): EventText | undefined {
  if (result === "healthy" || reason === "Paused") return undefined;
  const { kind, namespace, name } = workload;
  const said = message === "" ? "" : `: ${cut(message, failureLengthMax)}`;
  const how = result === "failed" ? "has failed" : "goes no further";
  return {
    type: "Warning",
    reason: result === "failed" ? "RolloutFailed" : "RolloutStalled",
    message: cut(
      `Rollout of '${name}' of type '${kind}' in namespace '${namespace}' ${how} (${reason})${said}`,
      eventMessageMax,
    ),
    component: componentOf([]),
  };
}

export function unreadableText({ problem, reason, rule }: UnreadableReport): EventText {
  const where = rule === undefined ? `annotation ${problem.annotation}` : `${rule}: ${problem.annotation}`;
  return {
    type: "Warning",
    reason: reason ?? "AnnotationUnreadable",
    message: cut(`${where}: "${problem.value}" ${problem.problem}; ${problem.mend}`, eventMessageMax),
    component: componentOf([]),
  };
}

export function heldText({ workload, reason, why, untilMs }: HoldReport): EventText {
  const { kind, namespace, name } = workload;
  const until = untilMs === undefined ? "" : ` Looked at again at ${new Date(untilMs).toISOString()}.`;
  return {
    type: "Warning",
    reason: "ReloadHeld",
    message: cut(
      `Update for '${name}' of type '${kind}' in namespace '${namespace}' waits (${reason}): ${cut(why, failureLengthMax)}.${until}`,
      eventMessageMax,
    ),
    component: componentOf([]),
  };
}

function describeSource({ kind, namespace, name, reason }: RolledSource): string {
  return `'${name}' of type '${compatKindName(kind)}' in namespace '${namespace}' (${reason})`;
}

/** The peer has one for each kind of source. A text about several kinds or none uses that of most rolls. */
function componentOf(kinds: readonly SourceKind[]): string {
  const [kind = "ConfigMap", ...others] = new Set(kinds);
  return `reloader-${compatResourceName(others.length === 0 ? kind : "ConfigMap")}`;
}

function cut(text: string, lengthMax: number): string {
  // The API server counts bytes.
  const bytes = Buffer.from(text);
  if (bytes.length <= lengthMax) return text;
  return `${bytes
    .subarray(0, lengthMax - 6)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`;
}
