import { isUrgent, type Notification } from "./notification.ts";
import type { Letter } from "./outbox.ts";
import type { Body } from "./post.ts";

/** The receiver of alerts: a chat with its own JSON format, or anything that takes a text. */
export type AlertSink = "slack" | "teams" | "gchat" | "raw";

/** The body a sink expects (compat 4.3). */
export function alertBody(sink: AlertSink, text: string, letter: Letter<Notification>): Body {
  switch (sink) {
    case "slack": {
      const attachment = { color: colorOf(letter), author_name: "Reloader", text };
      return jsonBody({ attachments: [attachment] });
    }
    case "teams":
    case "gchat":
      return jsonBody({ text });
    case "raw":
      return { contentType: "text/plain", text: text.replaceAll("*", "") };
  }
}

function colorOf(letter: Letter<Notification>): string {
  if (letter.type === "single") return isUrgent(letter.item) ? "danger" : "good";
  return letter.digest.urgentCount > 0 ? "danger" : "good";
}

function jsonBody(value: object): Body {
  return { contentType: "application/json", text: JSON.stringify(value) };
}
