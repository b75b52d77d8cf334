import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StringDecoder } from "node:string_decoder";

/** What becomes of one line of a watch on its way through. */
export type LineFate = "pass" | "drop" | "double";

/** One watch that runs through the proxy. */
export interface EventStream {
  /** No byte in either direction from now on, while both connections stay open. */
  readonly silence: () => void;
  /** Ends both sides at once; `isMidLine` sends half of a line before. */
  readonly cut: (isMidLine: boolean) => void;
  /** Puts a line of its own before the next one. */
  readonly inject: (line: string) => void;
}

/** Hands a watch on line by line. `done` is called when it is over, however. */
export function relayEvents(
  upstream: IncomingMessage,
  downstream: ServerResponse,
  fateOf: (line: string) => LineFate,
  done: () => void,
): EventStream {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isSilent = false;
  const relay = async (): Promise<void> => {
    for await (const chunk of upstream) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) await send(line, fateOf(line));
    }
    if (!isSilent) downstream.end();
  };
  const send = async (line: string, fate: LineFate): Promise<void> => {
    if (fate === "drop" || isSilent) return;
    const text = fate === "double" ? `${line}\n${line}\n` : `${line}\n`;
    if (!downstream.write(text)) await once(downstream, "drain");
  };
  // Either side may be cut while the other is read: that is what this file is for.
  relay().catch(() => downstream.destroy());
  downstream.once("close", () => {
    upstream.destroy();
    done();
  });
  return {
    silence: () => {
      isSilent = true;
      upstream.pause();
    },
    cut: (isMidLine) => {
      if (isMidLine && !downstream.writableEnded)
        downstream.write('{"type":"MODIFIED","object":{"kind":"Conf', () => downstream.destroy());
      else downstream.destroy();
    },
    inject: (line) => {
      // The server may have ended the watch a moment ago.
      if (!downstream.writableEnded) downstream.write(`${line}\n`);
    },
  };
}
