/**
 * How lists inside built-in objects are merged: by which fields their items are told apart. Keyed by
 * the list's field name alone; no two lists of the served kinds disagree on one name.
 */

/** Strategic merge patch: one key. */
export const strategicListKeys: ReadonlyMap<string, string> = new Map([
  ["conditions", "type"],
  ["containers", "name"],
  ["initContainers", "name"],
  ["ephemeralContainers", "name"],
  ["env", "name"],
  ["volumes", "name"],
  ["volumeMounts", "mountPath"],
  ["volumeDevices", "devicePath"],
  ["ports", "containerPort"],
  ["hostAliases", "ip"],
  ["imagePullSecrets", "name"],
  ["resourceClaims", "name"],
  ["secrets", "name"],
  ["topologySpreadConstraints", "topologyKey"],
  ["ownerReferences", "uid"],
]);

/** Lists of plain values that are sets, for patches and for apply alike. */
export const setLists: ReadonlySet<string> = new Set(["finalizers"]);

/** Server-side apply: several keys together. What is not named here is one value. */
export const applyListKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...strategicListKeys].map(([list, key]): [string, readonly string[]] => [list, [key]]),
  ["ports", ["containerPort", "protocol"]],
  ["topologySpreadConstraints", ["topologyKey", "whenUnsatisfiable"]],
]);

/** Keyed lists whose items are owned as a whole. */
export const atomicItems: ReadonlySet<string> = new Set(["ownerReferences", "imagePullSecrets"]);

/** Objects that server-side apply owns as a whole. */
export const atomicObjects: ReadonlySet<string> = new Set([
  "selector",
  "nodeSelector",
  "fieldRef",
  "resourceFieldRef",
  "configMapKeyRef",
  "secretKeyRef",
  "involvedObject",
]);
