/** Views of the shown fleet that docs/page.md has pictures of, each in the light and in the dark. */
export const shots = ["now", "change", "queue", "held", "workload"] as const;
export type Shot = (typeof shots)[number];

/** How much of each view a picture shows, in pixels. */
export const shotHeights: Readonly<Record<Shot, number>> = {
  now: 1040,
  change: 600,
  queue: 1180,
  held: 680,
  workload: 650,
};

/** In which colours a picture is. */
export type ShotScheme = "light" | "dark";

/** The file of a picture, in the folder docs. */
export function shotFile(shot: Shot, scheme: ShotScheme): string {
  return `images/page-${shot}-${scheme}.png`;
}
