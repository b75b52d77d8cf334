/** Longer ones do not fit into a cookie. */
const pathLengthMax = 1024;

/** A path of ours with its query, as a browser would read it; whatever would lead to another site is `/`. */
export function ownPath(asked: string | null): string {
  const here = "http://here.invalid";
  const url = URL.parse(asked ?? "/", here);
  if (url === null || url.origin !== here) return "/";
  const path = `${url.pathname}${url.search}`;
  // Two slashes at the beginning name a host; they may be left after dots are taken away.
  return path.startsWith("//") || path.length > pathLengthMax ? "/" : path;
}
