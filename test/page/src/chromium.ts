import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { patienceMs } from "@fleet-reloader/testkit/until";
import { type Browser, chromium } from "playwright-core";

/** The one that draws no window of its own does what pages ask for with less work. */
const names = ["chromium-headless-shell", "chromium"] as const;

/** Starts the Chromium on PATH without a screen, with a profile of its own that is removed at its end. */
export async function startChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumOnPath(),
    // Tests may run as root, where Chromium has no sandbox. It opens no other page than ours.
    chromiumSandbox: false,
    args: ["--disable-gpu", "--disable-background-networking"],
    timeout: patienceMs,
  });
}

function chromiumOnPath(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error("chromium is not on PATH: ./dev test installs it, or apt-get install chromium");
  return found;
}
