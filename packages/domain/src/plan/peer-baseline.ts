import { markAnnotation } from "../annotation/own-keys.ts";
import { utf8 } from "../bytes.ts";
import { compatDeletedMarker, compatSourceHash } from "../compat/hash.ts";
import { lastReloadedFromAnnotation, parseLastReloadedFrom } from "../compat/last-reloaded-from.ts";
import { compatVariableName } from "../compat/variable-name.ts";
import { madeOnce } from "../made-once.ts";
import { combineMarks, isMark, type KeyedDigest, markKeyId, markOf } from "../source/mark.ts";
import type { PodTemplate } from "../workload/pod-template.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";
import { keysThatMatter, localName, type ObservedSource } from "./observed-source.ts";

/** Input for reading the traces that another reloader, or an earlier install of ours, left on a pod template. */
export interface PeerTraces {
  readonly template: PodTemplate;
  readonly templateAnnotations: Annotations;
  readonly keyed: KeyedDigest;
  readonly sha1: (bytes: Uint8Array) => string;
  /** All sources of the workload: `a-b` and `a.b` share a variable, which holds the hash of the one that changed last. */
  readonly observedSources: readonly ObservedSource[];
}

/** The sources by the peer's variable for them. If the applied state names all of them, nothing asks for it. */
const byVariable = madeOnce((sources: readonly ObservedSource[]) =>
  Map.groupBy(sources, ({ ref }) => compatVariableName(ref)),
);

/**
 * Compares a source with the traces on the template. `unknown`: there is no trace, or none that can be compared. Such a source is adopted as it
 * is (decision 5).
 */
export function peerBaseline(observed: ObservedSource, traces: PeerTraces): "same" | "different" | "unknown" {
  const sharing = byVariable(traces.observedSources).get(compatVariableName(observed.ref)) ?? [];
  const others = sharing.filter((other) => other !== observed);
  const variables = variableValues(observed, traces)
    .filter((value) => !others.some((other) => comparePeerHash(value, other, traces) === "same"))
    .map((value) =>
      isMarkOfAll(value, [observed, ...others], traces) ? "same" : comparePeerHash(value, observed, traces),
    );
  const last = lastReloaded(traces.templateAnnotations);
  const isOfLast = last !== undefined && localName(last.source) === localName(observed.ref);
  const annotation = isOfLast ? [comparePeerHash(last.hash, observed, traces)] : [];
  if ([...variables, ...annotation].includes("same")) return "same";
  // Rolls by annotation leave earlier variables as they were. So if there are both, a variable may be older than the pods.
  const telling = last === undefined ? variables : annotation;
  return telling.includes("different") ? "different" : "unknown";
}

/** The values to compare. A variable of the peer proves nothing if our mark stands beside it: our rolls came later and did not update it. */
function variableValues(
  observed: ObservedSource,
  { template, templateAnnotations }: PeerTraces,
): readonly string[] {
  const name = compatVariableName(observed.ref);
  const isMarkedByUs = annotationValue(templateAnnotations, markAnnotation) !== undefined;
  return template.spec.containers
    .flatMap(({ env }) => env.filter((variable) => variable.name === name))
    .flatMap(({ value }) => (value === undefined || (isMarkedByUs && sha1Shape.test(value)) ? [] : [value]));
}

function lastReloaded(annotations: Annotations): ReturnType<typeof parseLastReloadedFrom> {
  const text = annotationValue(annotations, lastReloadedFromAnnotation);
  return text === undefined ? undefined : parseLastReloadedFrom(text);
}

/** Whether the value is the combined mark that a roll of ours writes into a variable of several sources. */
function isMarkOfAll(value: string, sharing: readonly ObservedSource[], { keyed }: PeerTraces): boolean {
  const present = sharing.flatMap((observed) => {
    const { ref, live } = observed;
    if (live === undefined || live === "unseen") return [];
    return [{ source: ref, mark: markOf(ref, live.content, keysThatMatter(observed), keyed) }];
  });
  return present.length > 1 && value === combineMarks(present, keyed);
}

const sha1Shape = /^[0-9a-f]{40}$/;

function comparePeerHash(
  value: string,
  observed: ObservedSource,
  { keyed, sha1 }: PeerTraces,
): "same" | "different" | "unknown" {
  if (observed.live === "unseen") return "unknown";
  const content = observed.live?.content;
  if (sha1Shape.test(value)) {
    const now =
      content === undefined ? sha1(utf8(compatDeletedMarker)) : compatSourceHash(observed.ref, content, sha1);
    return value === now ? "same" : "different";
  }
  if (!isMark(value) || markKeyId(value) !== keyed.keyId || content === undefined) return "unknown";
  // A different mark proves nothing: it may combine colliding names, or be made with other keys of the source.
  return value === markOf(observed.ref, content, keysThatMatter(observed), keyed) ? "same" : "unknown";
}
