import { request } from "node:https";

/** Sends audit events to a listener on the loopback, over a connection of their own; resolves to the status of the answer. */
export async function sendEvents(
  listener: { readonly port: number; readonly token: string; readonly ca: string },
  body: object,
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const { ca, port, token } = listener;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = request(
    { host: "127.0.0.1", port, ca, method: "POST", path: "/", headers, agent: false },
    (response) => {
      response.resume();
      resolve(response.statusCode);
    },
  );
  call.on("error", reject);
  call.end(JSON.stringify(body));
  return await promise;
}
