import { isOwnAddress, type ViewNode } from "./view-node.ts";

/** The parts of a browser's document that make nodes. */
export interface DrawnDocument<N> {
  createElement(tag: string): N & {
    setAttribute(name: string, value: string): void;
    append(...children: readonly N[]): void;
  };
  createElementNS(namespace: string, tag: string): ReturnType<DrawnDocument<N>["createElement"]>;
  createTextNode(text: string): N;
}

/** The namespace of SVG elements. It is only a name: no request goes there. */
const drawing = "http://www.w3.org/2000/svg";

/**
 * Makes the nodes of a browser. A text becomes a text node, so no text of a tenant is ever markup. Addresses of other sites and attributes with
 * scripts are left out.
 */
export function draw<N>(node: ViewNode, document: DrawnDocument<N>, isDrawing = false): N {
  if (typeof node === "string") return document.createTextNode(node);
  const isInDrawing = isDrawing || node.tag === "svg";
  const element = isInDrawing
    ? document.createElementNS(drawing, node.tag)
    : document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attributes))
    if (mayBeSet(name, value)) element.setAttribute(name, value);
  element.append(...node.children.map((child) => draw(child, document, isInDrawing)));
  return element;
}

function mayBeSet(name: string, value: string): boolean {
  if (/^on|^style$|^src/i.test(name)) return false;
  return (name !== "href" && name !== "action") || isOwnAddress(value);
}
