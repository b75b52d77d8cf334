import type { ActName } from "@fleet-reloader/contracts/api/act-routes";
import { el, type ViewElement } from "../view-node.ts";

/** Where an act happens; empty names: in all clusters, in all namespaces. */
export interface OfferedPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The acts that the person may do in a place. */
export type Permits = (place: OfferedPlace) => readonly ActName[];

/** For a page without a signed-in person. */
export const nobodyMay: Permits = () => [];

/** An act that the page offers. */
export interface ActOffer {
  readonly act: ActName;
  readonly label: string;
  /** The object of the act, for people. */
  readonly subject: string;
  /** The body of the request, except the reason and the count. */
  readonly body: Readonly<Record<string, string | boolean>>;
  /** The address that shows the result. */
  readonly seenAt: string;
}

/** Buttons for the acts that the person may do in a place. */
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

/** The same buttons below each other; nothing when there are none. */
export function actRow(...args: Parameters<typeof actButtons>): readonly ViewElement[] {
  const buttons = actButtons(...args);
  return buttons.length === 0 ? [] : [el("p", { class: "acts" }, ...buttons)];
}

/** The name of an act. It begins with the text of its button. */
export function offerName({ label, subject }: Pick<ActOffer, "label" | "subject">): string {
  return `${label}${label.endsWith("…") ? "" : ":"} ${subject}`;
}
