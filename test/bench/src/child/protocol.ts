/** What a child process can be asked to do: methods that take one value and answer one, both plain data. */
export type Methods = { readonly [name: string]: (parameter: never) => unknown };

export interface Question {
  readonly id: number;
  readonly method: string;
  readonly parameter: unknown;
}

export type Reply =
  | { readonly id: number; readonly type: "answer"; readonly value: unknown }
  | { readonly id: number; readonly type: "failure"; readonly message: string };
