/**
 * Compares resourceVersions. They are decimal integers (stable since Kubernetes 1.35, KEP-5504): the longer one is larger; of equal length, the
 * lexically greater one.
 */
export function isOlderVersion(a: string, b: string): boolean {
  if (a.length !== b.length) return a.length < b.length;
  return a < b;
}
