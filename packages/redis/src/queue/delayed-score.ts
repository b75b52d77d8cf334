/** BullMQ's delayed entries have the wall time as their score, with twelve bits behind it for their order (its getDelayedScore). */
export const delayedScoreOfMs = 0x1000;
