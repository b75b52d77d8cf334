// Each process reports the problems of a cluster as lines of text. A person with rights on some namespaces sees only the lines that name no
// other namespace. So the code that writes the names of namespaces and the code that finds them again are in one file.

/** Names a stream of one kind of objects, in records and for people. */
export function streamName(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}

/** Says where a right is needed. */
export function placeOfRight(namespace: string | undefined): string {
  return namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
}

/** Says which changes no audit event reported. The changes may be of objects in any namespace. */
export function untoldChanges(stream: string, changes: string, names: string): string {
  return `${untold} ${changes} in ${stream}: ${names}`;
}

const untold = "no audit event told of";

/** Matches the places that the functions above write into a line. */
const namedPlaces = [/ in namespace ([^\s;]+)/, /^\S+ in (\S+) is /];

/** Whether a person who sees these namespaces may see the line: it names no other namespace. */
export function isToldOf(line: string, sees: (namespace: string) => boolean): boolean {
  if (line.startsWith(untold)) return false;
  return namedPlaces.every((pattern) => {
    const [, namespace] = pattern.exec(line) ?? [];
    return namespace === undefined || sees(namespace);
  });
}
