import ts from "typescript";

export interface DeclaredFunction {
  /** The line it begins in. */
  readonly line: number;
  readonly lines: number;
  /** Its ways apart, plus one (McCabe 1976): conditions, loops, cases, and operators that may skip their right side. */
  readonly complexity: number;
}

export interface SourceSyntax {
  /** Everything with a body: functions, methods, accessors, closures. */
  readonly functions: readonly DeclaredFunction[];
  /** As written, placeholders included. */
  readonly testNames: readonly string[];
}

const branches = new Set([
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.ConditionalExpression,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.CaseClause,
]);
const shortCircuits = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
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
      functions.push({ line, lines: lineAt(node.end) - line + 1, complexity: 1 + branchesOf(node) });
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

/** Branches of a function, without those of the functions in it. */
function branchesOf(node: ts.Node): number {
  let count = 0;
  ts.forEachChild(node, (child) => {
    if (!ts.isFunctionLike(child)) count += (isBranch(child) ? 1 : 0) + branchesOf(child);
  });
  return count;
}

function isBranch(node: ts.Node): boolean {
  return (
    branches.has(node.kind) || (ts.isBinaryExpression(node) && shortCircuits.has(node.operatorToken.kind))
  );
}
