import { Fault } from "@fleet-reloader/domain/fault";
import type { ListenAddress } from "@fleet-reloader/runtime/http/http-endpoint";
import { addressText } from "@fleet-reloader/runtime/http/socket-address";
import type { AnswerApi } from "./answer-api.ts";
import { sendProblem } from "./send-answer.ts";

/** Forbidden: other machines reach the address, and there is no sign-in. */
const refusedStatus = 403;

/** Makes a handler that refuses every question, for an address that other machines reach without sign-in. */
export function refuseApi(address: ListenAddress): AnswerApi {
  const field = "--dashboard-address";
  const mend =
    "let people sign in with --access-file, or write 127.0.0.1 and forward the port, for example with kubectl port-forward";
  const fault = new Fault(
    "config.invalid",
    `${field}: the API has no login, so it answers at a loopback address only; ${mend}`,
    { context: { field, value: addressText(address), mend } },
  );
  return async (request, response) => sendProblem(request, response, refusedStatus, fault);
}
