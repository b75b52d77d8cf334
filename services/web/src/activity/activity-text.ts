/** A length of time as a plot labels it: `0.4 s`, `12 s`, `3 min`, `2.5 h`, `3 d`. */
export function lengthText(ms: number): string {
  const [unit, unitMs] = units.find(([, from]) => ms >= 2 * from) ?? (["s", 1000] as const);
  const amount = ms / unitMs;
  return `${amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)} ${unit}`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** The length of a slot: `1 min`, `30 min`, `6 h`, `2 d`. */
export function slotText(slotMs: number): string {
  const [unit, unitMs] = units.find(([, from]) => slotMs >= from && slotMs % from === 0) ?? ["s", 1000];
  return `${slotMs / unitMs} ${unit}`;
}

/** When a slot begins, in UTC. With its date if the plot shows more than one day. */
export function slotTime(from: string, isOfDays: boolean): string {
  const [day = "", time = ""] = from.split("T");
  return isOfDays ? `${day.slice(5)} ${time.slice(0, 5)}` : time.slice(0, 5);
}
