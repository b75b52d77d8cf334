/** resourceVersions are decimal integers (stable since Kubernetes 1.35, KEP-5504): longer is larger, then lexical. */
export function isOlderVersion(a: string, b: string): boolean {
  if (a.length !== b.length) return a.length < b.length;
  return a < b;
}
