import type { Letter } from "./outbox.ts";
import type { Body } from "./post.ts";
import { isFailure, type Told } from "./told.ts";

/** Where alerts go: a chat that wants its own JSON, or anything that takes a text. */
export const alertSinks = ["slack", "teams", "gchat", "raw"] as const;
export type AlertSink = (typeof alertSinks)[number];

/** As the peer reads it: trimmed, in any case, and whatever is none of the chats is `raw`. */
export function alertSinkOf(text: string): { readonly sink: AlertSink; readonly isKnown: boolean } {
  const name = text.trim().toLowerCase();
  const sink = alertSinks.find((known) => known === name);
  return { sink: sink ?? "raw", isKnown: sink !== undefined || name === "" };
}

/** The body a sink expects (compat 4.3). */
export function alertBody(sink: AlertSink, text: string, letter: Letter<Told>): Body {
  switch (sink) {
    case "slack": {
      const attachment = { color: colorOf(letter), author_name: "Reloader", text };
      return json({ attachments: [attachment] });
    }
    case "teams":
    case "gchat":
      return json({ text });
    case "raw":
      return { contentType: "text/plain", text: text.replaceAll("*", "") };
  }
}

function colorOf(letter: Letter<Told>): string {
  if (letter.type === "single") return isFailure(letter.item) ? "danger" : "good";
  return letter.digest.urgentCount > 0 ? "danger" : "good";
}

function json(value: object): Body {
  return { contentType: "application/json", text: JSON.stringify(value) };
}
