// What is wrong with a cluster is told in lines, by the processes that see it. Who sees some namespaces only gets those lines that name no
// other, so the names of namespaces are written and found again in one place.

/** Names a stream of one kind of objects, in records and for people. */
export function streamName(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}

/** Says where a right is needed. */
export function placeOfRight(namespace: string | undefined): string {
  return namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
}

/** Says which changes, of objects of any namespaces, no audit event told of. */
export function untoldChanges(stream: string, changes: string, names: string): string {
  return `${untold} ${changes} in ${stream}: ${names}`;
}

const untold = "no audit event told of";

/** The places that a line names as above, by their beginnings. */
const namedPlaces = [/ in namespace ([^\s;]+)/, /^\S+ in (\S+) is /];

/** Whether a line is about nothing but what is in these namespaces, or in none. */
export function isToldOf(line: string, sees: (namespace: string) => boolean): boolean {
  if (line.startsWith(untold)) return false;
  return namedPlaces.every((pattern) => {
    const [, namespace] = pattern.exec(line) ?? [];
    return namespace === undefined || sees(namespace);
  });
}
