import { el, type ViewElement } from "./view-node.ts";

/** A duration for people: `45 s`, `12 min`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The age of the longest-waiting request. */
export function oldestText({ oldestMs }: { readonly oldestMs?: number | undefined }): string {
  return oldestMs === undefined ? "nothing waits" : `${spanText(oldestMs)} old`;
}

/** How long ago a time was. Its title is the exact time in UTC. */
export function ago(time: string, nowMs: number): ViewElement {
  return el("time", { datetime: time, title: time }, agoText(time, nowMs));
}

/** How long ago a time was, as text. */
export function agoText(time: string, nowMs: number): string {
  return `${spanText(nowMs - Date.parse(time))} ago`;
}

/** The time at which something ends. */
export function until(time: string): ViewElement {
  return el("time", { datetime: time }, time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC"));
}
