import { type ClientHttp2Session, constants } from "node:http2";

/** A trigger as KEDA names it to a scaler. */
export interface AskingObject {
  readonly namespace: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A call of `externalscaler.ExternalScaler`, byte for byte as KEDA makes it: nothing of our gRPC is in it. */
export interface KedaCall {
  /** The messages so far, without their frames. */
  readonly messages: readonly Buffer[];
  /** The gRPC status, `0` for OK; `none` when the stream broke without one, which KEDA takes for an error. */
  readonly ended: Promise<string>;
  cancel(): void;
}

/** Calls a method that is asked with a ScaledObject. */
export function callScaler(
  session: ClientHttp2Session,
  method: string,
  asking: AskingObject,
  onMessage: (message: Buffer) => void = () => undefined,
): KedaCall {
  const stream = session.request({
    ":method": "POST",
    ":path": `/externalscaler.ExternalScaler/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const messages: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let status = "none";
  stream.on("response", (headers) => {
    status = statusOf(headers) ?? status;
  });
  stream.on("trailers", (headers) => {
    status = statusOf(headers) ?? status;
  });
  stream.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= frameHead && rest.length >= frameHead + rest.readUInt32BE(1)) {
      const end = frameHead + rest.readUInt32BE(1);
      const message = rest.subarray(frameHead, end);
      rest = rest.subarray(end);
      messages.push(message);
      onMessage(message);
    }
  });
  const ended = new Promise<string>((resolve) => {
    stream.on("error", () => undefined);
    stream.once("close", () => resolve(status));
  });
  stream.end(framed(encode(asking)));
  return { messages, ended, cancel: () => stream.close(constants.NGHTTP2_CANCEL) };
}

/** One byte for the compression, four for the length. */
const frameHead = 5;

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(frameHead);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function statusOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const status = headers["grpc-status"];
  return typeof status === "string" ? status : undefined;
}

/** `ScaledObjectRef`: name = 1, namespace = 2, scalerMetadata = 3 as entries of key = 1 and value = 2. */
function encode({ name, namespace, metadata }: AskingObject): Buffer {
  const entries = Object.entries(metadata).map(([key, value]) =>
    field(3, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))])),
  );
  return Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(namespace)), ...entries]);
}

function field(number: number, bytes: Buffer): Buffer {
  if (bytes.length > 127) throw new Error("longer than one byte of length says; write a shorter one");
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
