/** How quickly members notice each other. */
export interface OwnershipPace {
  readonly beatMs: number;
  readonly expiryMs: number;
  readonly stayMs: number;
  readonly graceMs: number;
  readonly weighMs: number;
}

export const defaultPace: OwnershipPace = {
  // The clusters of a killed member are claimed after expiry + beat = 6 s at most; with the lists that follow far below 15 s.
  beatMs: 1000,
  expiryMs: 5000,
  // Members that come and go, as in a rolling update, do not move the same cluster back and forth.
  stayMs: 60_000,
  // After a loss of Redis the owners write their records again: this is the reconnection (1 s at most), a beat, and time for a busy machine. And
  // members that start together are all present before anything moves to the first of them.
  graceMs: 3000,
  // Often enough for what grows over minutes; three commands per cluster of ours.
  weighMs: 30_000,
};
