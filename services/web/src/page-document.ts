import type { DrawnDocument } from "./draw.ts";

/** What of an element of a browser is used. The types of a whole DOM would reach every package. */
export interface PageElement {
  textContent: string | null;
  readonly tagName: string;
  /** Of a field alone. */
  readonly value?: string;
  append(...children: readonly PageElement[]): void;
  replaceChildren(...children: readonly PageElement[]): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  closest(selector: string): PageElement | null;
  focus(): void;
  /** Of a dialog alone. */
  showModal?(): void;
}

/** What of an event of a browser is used. */
export interface PageEvent {
  readonly target: PageElement | null;
  readonly key?: string;
  readonly button?: number;
  readonly altKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly shiftKey?: boolean;
  preventDefault(): void;
}

/** What of the document of a browser is used. */
export interface PageDocument extends DrawnDocument<PageElement> {
  title: string;
  readonly hidden: boolean;
  readonly activeElement: PageElement | null;
  getElementById(id: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}
