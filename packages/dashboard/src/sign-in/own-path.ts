/** Longer paths do not fit into a cookie. */
const pathLengthMax = 1024;

/** A path on our site with its query, as a browser would read it. An address that would lead to another site becomes `/`. */
export function ownPath(asked: string | null): string {
  const here = "http://here.invalid";
  const url = URL.parse(asked ?? "/", here);
  if (url === null || url.origin !== here) return "/";
  const path = `${url.pathname}${url.search}`;
  // Two slashes at the beginning name a host. They may appear when dot segments are removed.
  return path.startsWith("//") || path.length > pathLengthMax ? "/" : path;
}
