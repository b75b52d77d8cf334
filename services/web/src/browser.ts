import type { DrawnDocument } from "./draw.ts";

/** The parts of a browser's elements that we use. The types of a whole DOM would reach every package. */
export interface PageElement {
  textContent: string | null;
  readonly tagName: string;
  append(...children: readonly PageElement[]): void;
  replaceChildren(...children: readonly PageElement[]): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  addEventListener(type: string, listener: () => void): void;
  focus(): void;
  /** Only on an input. */
  readonly value?: string;
  /** Only on a dialog. */
  showModal?(): void;
  close?(): void;
}

/** The parts of a browser's events that we use. */
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

/** The parts of a browser's document that we use. */
export interface PageDocument extends DrawnDocument<PageElement> {
  title: string;
  readonly hidden: boolean;
  readonly activeElement: PageElement | null;
  getElementById(id: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

/** A text that identifies a focusable element among the others; empty when nothing does. */
export function focusNames(element: PageElement | null): string {
  const names = ["href", "aria-label"].flatMap((name) => element?.getAttribute(name) ?? []);
  return names.join(" ");
}

/** Whether an element belongs to a form. */
export function isInForm(element: PageElement | null): boolean {
  return element !== null && element.closest("form") !== null;
}

/** Shows a text. An unchanged text is not set again, so a screen reader does not repeat it. */
export function showText(element: PageElement | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}
