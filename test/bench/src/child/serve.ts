import process from "node:process";
import type { Methods, Question, Reply } from "./protocol.ts";

/** Child's side: answers the parent's questions until it closes the channel or dies; then this process ends. */
export function serveMethods(methods: Methods): void {
  const reply = (message: Reply): void => void process.send?.(message);
  process.on("message", (question: Question) => {
    // The parent's side is typed by the same table of methods.
    const method = methods[question.method] as ((parameter: unknown) => unknown) | undefined;
    const answer = async (): Promise<unknown> => {
      if (method === undefined) throw new Error(`no method ${question.method}`);
      return await method(question.parameter);
    };
    answer().then(
      (value) => reply({ id: question.id, type: "answer", value }),
      (error: unknown) => reply({ id: question.id, type: "failure", message: textOf(error) }),
    );
  });
  process.once("disconnect", () => process.exit(0));
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
