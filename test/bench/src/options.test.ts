import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";

const read = (...args: readonly string[]) =>
  readOptions(args, { all: ["B01", "B02", "B03"], comparisons: ["B01", "B03"] });

describe("readOptions", () => {
  it("takes a peer by its path, with a name, arguments and an annotation of its own", () => {
    expect(read("--peer", "bin/other").peer).toEqual({
      ...{ name: "other", path: "bin/other", args: [] },
      optIn: "reloader.stakater.com/auto",
    });
    const flags = ["--peer-name=Other 2", "--peer-args=--a --b=c", "--peer-opt-in=other/reload"];
    expect(read("--peer=bin/other", ...flags).peer).toMatchObject({
      ...{ name: "Other 2", args: ["--a", "--b=c"] },
      optIn: "other/reload",
    });
    expect(() => read("--peer-name=Other")).toThrow("--peer-name: needs --peer PATH");
  });

  it("knows only the scenarios that compare when something is compared", () => {
    expect(read().ids).toEqual(["B01", "B02", "B03"]);
    expect(read("--peer=bin/other").ids).toEqual(["B01", "B03"]);
    expect(read("--compare=run.json", "b03").ids).toEqual(["B03"]);
    expect(() => read("--compare=run.json", "B02")).toThrow("no benchmark B02 here; there are B01, B03");
  });
});
