/** One event of a stream of server-sent events. */
export interface TextEvent {
  readonly type: string;
  readonly text: string;
  /** The id of this event or of an earlier one. */
  readonly id: string;
}

/** Reads the text of a stream in parts of any length. */
export class EventReader {
  #rest = "";
  #id = "";

  /** Returns the events that this part completes. */
  push(part: string): readonly TextEvent[] {
    const blocks = (this.#rest + part).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => this.#eventIn(block));
  }

  #eventIn(block: string): readonly TextEvent[] {
    const lines = block.split("\n");
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.#id = fieldOf("id") ?? this.#id;
    const text = fieldOf("data");
    return text === undefined ? [] : [{ type: fieldOf("event") ?? "message", text, id: this.#id }];
  }
}
