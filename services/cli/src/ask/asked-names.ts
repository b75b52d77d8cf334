import { Fault } from "@fleet-reloader/domain/fault";
import {
  sourceKindOf,
  sourceSpellings,
  workloadKindOf,
  workloadSpellings,
} from "@fleet-reloader/domain/hold/kind-spelling";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";

/** The workload that a word names, in a namespace that has to be given. Kinds are spelled as kubectl knows them. */
export function askedWorkload(word: string, namespace: string): WorkloadRef {
  const { kindText, name } = askedParts(word, "Deployment/api");
  const kind = workloadKindOf(kindText);
  if (kind !== undefined) return { kind, namespace: givenNamespace(namespace), name };
  if (sourceKindOf(kindText) !== undefined)
    throw refusedName(word, `is a source, not a workload; write fleet-reloader plan ${word}`);
  throw refusedName(
    word,
    `no kind of workload is called ${kindText}${likelyKind(kindText, workloadSpellings)}`,
  );
}

/** The source that a word names, in a namespace that has to be given. */
export function askedSource(word: string, namespace: string): SourceRef {
  const { kindText, name } = askedParts(word, "Secret/db");
  const kind = sourceKindOf(kindText);
  if (kind !== undefined) return { kind, namespace: givenNamespace(namespace), name };
  if (workloadKindOf(kindText) !== undefined)
    throw refusedName(word, `is a workload, not a source; write fleet-reloader explain ${word}`);
  throw refusedName(word, `no kind of source is called ${kindText}${likelyKind(kindText, sourceSpellings)}`);
}

/** The fault of a word that names nothing. */
export function refusedName(word: string, why: string): Fault {
  return new Fault("config.invalid", `KIND/NAME ${word}: ${why}`);
}

function askedParts(word: string, example: string): { readonly kindText: string; readonly name: string } {
  const [kindText = "", name = "", ...rest] = word.split("/");
  if (kindText !== "" && name !== "" && rest.length === 0) return { kindText, name };
  throw refusedName(word, `is not understood; write kind and name, for example ${example}`);
}

function givenNamespace(namespace: string): string {
  if (namespace !== "") return namespace;
  throw new Fault("config.invalid", "--namespace: it is missing; write -n NAMESPACE");
}

function likelyKind(text: string, known: readonly string[]): string {
  const nearest = nearestName(text, known);
  return nearest === undefined ? `; known are ${known.join(", ")}` : `; did you mean ${nearest}?`;
}
