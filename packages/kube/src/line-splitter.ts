const newline = 0x0a;

/**
 * Cuts a byte stream into lines without decoding before a line is complete, so that a UTF-8 sequence split over two chunks
 * survives. `push` returns the lines completed by this chunk; the rest waits for the next.
 */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      lines.push(this.#take(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#pending.push(chunk.subarray(start));
      this.#pendingBytes += chunk.length - start;
    }
    return lines;
  }

  /** Bytes of the unfinished line: more than 0 at the end of a stream means it was cut in the middle of a line. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  #take(last: Buffer): string {
    if (this.#pendingBytes === 0) return last.toString("utf8");
    const line = Buffer.concat([...this.#pending, last]).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}
