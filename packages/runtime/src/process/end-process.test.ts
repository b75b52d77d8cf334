import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

/** A process that runs the script, with `endProcess` available. One that does not end fails its test instead of outliving it. */
function start(script: string) {
  const from = JSON.stringify(new URL("end-process.ts", import.meta.url).href);
  const all = `import { endProcess } from ${from}; ${script}`;
  return spawn(process.execPath, ["--input-type=module", "-e", all], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
}

/** What Node's own exit sometimes does (nodejs/node#54918), here every time. */
const exitHangs = "process.reallyExit = () => { for (;;) ; };";

describe("the end of a process", () => {
  test.each([0, 1, 70, 78])("has the code %i although Node's own exit would hang", async (code) => {
    const child = start(`${exitHangs} await endProcess(${code});`);
    await once(child, "close");
    expect([child.exitCode, child.signalCode]).toEqual([code, null]);
  });

  // Without the limit of a second, since a busy machine may be slower.
  test("comes after all that was written has been read, however slowly", async () => {
    const child = start(
      'globalThis.setTimeout = () => 0; process.stdout.write("x".repeat(300_000)); await endProcess(0);',
    );
    await once(child.stdout, "readable");
    expect(await text(child.stdout)).toHaveLength(300_000);
  });

  test("comes also when nobody reads what was written", async () => {
    const child = start('process.stdout.write("x".repeat(300_000)); await endProcess(3);');
    await once(child, "exit");
    expect(child.exitCode).toBe(3);
    child.stdout.destroy();
  });

  test("comes also when the reader is gone", async () => {
    const child = start(
      'process.stdin.once("end", async () => { process.stdout.write("x"); await endProcess(3); }).resume();',
    );
    child.stdout.destroy();
    child.stdin.end();
    await once(child, "exit");
    expect(child.exitCode).toBe(3);
  });

  test("calls those who listen for it, and leaves options to the process that ends", async () => {
    const child = start(
      'process.on("exit", (code) => console.log(code)); process.env.NODE_OPTIONS = "--unknown"; await endProcess(5);',
    );
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect([output, child.exitCode]).toEqual(["5\n", 5]);
  });
});
