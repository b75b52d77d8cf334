const newline = 0x0a;

/** An object has at most 1.5 MiB in etcd, and a few times that as JSON when all of it must be escaped. */
const lineMaxBytes = 8 * 1024 * 1024;

/**
 * Splits a byte stream into lines. A line is decoded only when it is complete, so a UTF-8 sequence may span two chunks.
 * `push` returns the lines that this chunk completes; the rest is kept for the next chunk.
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

  /** Bytes of the unfinished line. More than 0 at the end of a stream means that the stream was cut within a line. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** The unfinished line is longer than any object, so it may never end. */
  get isTooLong(): boolean {
    return this.#pendingBytes > lineMaxBytes;
  }

  #take(last: Buffer): string {
    if (this.#pendingBytes === 0) return last.toString("utf8");
    const line = Buffer.concat([...this.#pending, last]).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}
