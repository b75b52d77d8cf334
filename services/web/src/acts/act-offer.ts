import type { ActName } from "@fleet-reloader/contracts/api/act-routes";
import { el, type ViewElement } from "../view-node.ts";

/** Where an act happens; empty: in all clusters, in all namespaces. */
export interface OfferedPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The acts that the person may do in a place. */
export type Permits = (place: OfferedPlace) => readonly ActName[];

/** Of a page that nobody is signed in to. */
export const nobodyMay: Permits = () => [];

/** An act that the page offers. */
export interface ActOffer {
  readonly act: ActName;
  readonly label: string;
  /** What it is about, for people. */
  readonly subject: string;
  /** What is sent, but for the reason and the count. */
  readonly body: Readonly<Record<string, string | boolean>>;
  /** Where what came of it is shown. */
  readonly seenAt: string;
}

/** Buttons for the acts that somebody may do in a place. */
export function actButtons(
  permits: Permits,
  place: OfferedPlace,
  offers: readonly ActOffer[],
): readonly ViewElement[] {
  const permitted = permits(place);
  return offers
    .filter(({ act }) => permitted.includes(act))
    .map((offer) =>
      el(
        "button",
        {
          type: "button",
          class: "act",
          "aria-haspopup": "dialog",
          "aria-label": offerName(offer),
          "data-act": JSON.stringify(offer),
        },
        offer.label,
      ),
    );
}

/** The same below each other, or nothing where there are none. */
export function actRow(...args: Parameters<typeof actButtons>): readonly ViewElement[] {
  const buttons = actButtons(...args);
  return buttons.length === 0 ? [] : [el("p", { class: "acts" }, ...buttons)];
}

/** What an act is called; it begins with what its button shows. */
export function offerName({ label, subject }: Pick<ActOffer, "label" | "subject">): string {
  return `${label}${label.endsWith("…") ? "" : ":"} ${subject}`;
}
