import ts from "typescript";

export interface DeclaredFunction {
  /** The line it begins in. */
  readonly line: number;
  readonly lines: number;
}

export interface SourceSyntax {
  /** Everything with a body: functions, methods, accessors, closures. */
  readonly functions: readonly DeclaredFunction[];
  /** As written, placeholders included. */
  readonly testNames: readonly string[];
}

const test = /^(test|it)(\.(each|for|skipIf|runIf)\(|$)/;

/** What a text in TypeScript declares. */
export function syntaxOf(text: string): SourceSyntax {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const functions: DeclaredFunction[] = [];
  const testNames: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const line = lineAt(node.getStart(file));
      functions.push({ line, lines: lineAt(node.end) - line + 1 });
    }
    if (ts.isCallExpression(node) && test.test(node.expression.getText(file))) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteralLike(name)) testNames.push(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { functions, testNames };
}
