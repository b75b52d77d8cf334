import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "./files-below.ts";
import { root } from "./root.ts";

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .map((line) => ({ path: path.slice(root.length + 1), line }));

test("comments of the product and pages name their subject", () => {
  const riddle = /\b(whoever|has not to)\b/i;
  const comment = /^\s*(\/?\*|\/\/)/;
  const comments = ["packages", "services"]
    .flatMap((folder) => filesBelow(join(root, folder)))
    .filter((path) => path.endsWith(".ts"))
    .filter(
      (path) =>
        !/(\.test\.ts$|\/dist|\/fixture\/|\/test\/|\/packages\/testkit\/|planted-violation)/.test(path),
    )
    .flatMap(linesOf)
    .filter(({ line }) => comment.test(line));
  const pages = filesBelow(join(root, "docs"))
    .filter((path) => path.endsWith(".md") && !/\/(adr|reference)\//.test(path))
    .flatMap(linesOf);
  expect(comments.length).toBeGreaterThan(5000);
  expect(pages.length).toBeGreaterThan(2000);
  expect([...comments, ...pages].filter(({ line }) => riddle.test(line))).toEqual([]);
});
